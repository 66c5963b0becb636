#include "verification/schema_references.h"

#include <fmt/format.h>

#include <charconv>

#include "base/utf8.h"
#include "verification/json_tools.h"

namespace glovebox::verification {
namespace {

using base::Status;

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] != '%') {
      decoded += text[index];
      continue;
    }
    unsigned byte = 0;
    const auto digits = text.substr(index + 1, 2);
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || problem != std::errc() || end != digits.data() + 2) {
      return std::nullopt;
    }
    decoded += static_cast<char>(byte);
    index += 2;
  }
  return decoded;
}

// Subschemas that look at the same value again.
std::vector<NodeIndex> in_place(const SchemaNode& node) {
  std::vector<NodeIndex> next;
  for (const auto* list : {&node.all_of, &node.any_of, &node.one_of}) {
    next.insert(next.end(), list->begin(), list->end());
  }
  for (const auto& slot : {node.reference, node.negated, node.condition, node.consequence, node.alternative}) {
    if (slot) {
      next.push_back(*slot);
    }
  }
  for (const auto& [name, index] : node.dependent_schemas) {
    next.push_back(index);
  }
  return next;
}

}  // namespace

base::Error schema_error(std::string_view field, std::string_view pointer, std::string message) {
  return base::make_error(base::ErrorCode::invalid_request, std::move(message))
      .with_field(fmt::format("{}#{}", field, base::printable(pointer, 300)));
}

Status resolve_references(const SchemaPlaces& places, std::vector<SchemaNode>& nodes) {
  for (const SchemaReference& reference : places.references) {
    const auto refuse = [&](std::string message) {
      return base::fail(schema_error(places.field, pointer_step(reference.from, "$ref"), std::move(message)));
    };
    if (!reference.target.starts_with('#')) {
      return refuse("only references within the same schema, such as #/$defs/name, are followed");
    }
    auto pointer = percent_decoded(std::string_view(reference.target).substr(1));
    if (pointer && !pointer->empty() && pointer->front() != '/') {
      const auto anchor = places.anchors.find(*pointer);
      pointer = anchor == places.anchors.end() ? std::nullopt : std::optional(anchor->second);
    }
    const auto found = pointer ? places.by_pointer.find(*pointer) : places.by_pointer.end();
    if (found == places.by_pointer.end()) {
      return refuse(fmt::format("\"{}\" does not lead to a schema", base::printable(reference.target, 100)));
    }
    nodes[places.by_pointer.at(reference.from)].reference = found->second;
  }
  return {};
}

// A walk in depth without recursion: a node that is met again while it is open refers to itself.
Status refuse_loops(std::string_view field, const std::vector<SchemaNode>& nodes) {
  enum class State : std::uint8_t { fresh, open, done };
  std::vector<State> states(nodes.size(), State::fresh);
  std::vector<std::pair<NodeIndex, std::vector<NodeIndex>>> path;
  const auto enter = [&](NodeIndex index) {
    states[index] = State::open;
    path.emplace_back(index, in_place(nodes[index]));
  };
  for (NodeIndex start = 0; start < nodes.size(); ++start) {
    if (states[start] == State::fresh) {
      enter(start);
    }
    while (!path.empty()) {
      if (path.back().second.empty()) {
        states[path.back().first] = State::done;
        path.pop_back();
        continue;
      }
      const NodeIndex next = path.back().second.back();
      path.back().second.pop_back();
      if (states[next] == State::open) {
        return base::fail(
            schema_error(field, nodes[path.back().first].pointer,
                         "refers to itself without looking deeper into the value: such a check never ends"));
      }
      if (states[next] == State::fresh) {
        enter(next);
      }
    }
  }
  return {};
}

}  // namespace glovebox::verification
