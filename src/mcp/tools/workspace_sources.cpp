#include "mcp/tools/workspace_sources.h"

#include <algorithm>
#include <utility>

#include "policy/source_files.h"

namespace glovebox::mcp {

void add_sources(contract::RunRequest& request, const workspaces::Workspace& workspace) {
  for (const workspaces::Entry& entry : workspace.list("")) {
    const auto path = base::RelPath::parse(entry.path);
    const auto sent = [&](const contract::InputFile& file) { return file.path.str() == entry.path; };
    if (!path || !policy::syntax_of_file(entry.path) || std::any_of(request.files.begin(), request.files.end(), sent)) {
      continue;
    }
    if (auto bytes = workspace.read(*path, 0, entry.bytes); bytes) {
      request.files.push_back({*path, std::move(*bytes)});
    }
  }
}

}  // namespace glovebox::mcp
