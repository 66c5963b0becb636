// What `glovebox run` says after a run: JSON for machines, a few lines on stderr for people, files for artifacts.
#pragma once

#include <set>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "cli/request_flags.h"
#include "contract/run_result.h"

namespace glovebox::cli {

[[nodiscard]] int exit_status(const contract::RunResult& result);
// True when the run failed because of us or of the request, not because of the program.
[[nodiscard]] bool ours(const contract::RunResult& result);

int print_json(const contract::RunResult& result);
// A request that could not even be read still gets a result object.
int print_json_error(const base::Error& error);
// The value of solve(input), on stdout, behind whatever the program printed. The exit status.
[[nodiscard]] int print_value(const contract::RunResult& result);
// `saved`: the paths of artifacts that are files now; null: nobody wanted them as files.
void print_summary(const contract::RunResult& result, const RequestFlags& flags, const std::set<std::string>* saved);

}  // namespace glovebox::cli
