#include "mcp/revision.h"

namespace glovebox::mcp {

std::string_view to_string(Revision revision) {
  return kRevisionNames[kRevisionNames.size() - 1 - static_cast<std::size_t>(revision)];
}

std::optional<Revision> parse_revision(std::string_view name) {
  for (std::size_t index = 0; index < kRevisionNames.size(); ++index) {
    if (kRevisionNames[index] == name) {
      return static_cast<Revision>(kRevisionNames.size() - 1 - index);
    }
  }
  return std::nullopt;
}

Revision negotiate(std::string_view asked) {
  const auto known = parse_revision(asked);
  return known && !is_stateless(*known) ? *known : kNewestHandshake;
}

std::string revision_list() {
  std::string list;
  for (const std::string_view name : kRevisionNames) {
    list.append(list.empty() ? "[\"" : ",\"").append(name).append("\"");
  }
  return list + "]";
}

}  // namespace glovebox::mcp
