// The policy reads code that a program can load, so it sees the workspace's too.
#pragma once

#include "contract/run_request.h"
#include "workspaces/workspace.h"

namespace glovebox::mcp {

// Adds the files of the workspace that are code, unless the request brings its own of that name.
void add_sources(contract::RunRequest& request, const workspaces::Workspace& workspace);

}  // namespace glovebox::mcp
