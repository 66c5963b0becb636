// An artifact that must not be there (V3, "exists": false). That nothing was collected does not say that nothing is
// there: links and pipes are not collected, nor is what the program made unreadable, nor an input that it left alone.
// Only what is known to be absent passes.
#pragma once

#include <string>
#include <vector>

#include "contract/run_request.h"
#include "contract/run_result.h"

namespace glovebox::verification {

// What is in the work directory beside artifacts.
struct WorkLeft {
  std::vector<std::string> kept_inputs;  // still there as they were passed in
  std::vector<std::string> written;      // new and changed files, all of them
  // Why this may not be all, for people; empty: it is.
  std::string unknown = "nobody has looked at the work directory";
};

// Why it cannot be said that there is nothing at this path; empty when there is nothing. A directory counts when there
// is a file in it: nobody sees an empty one.
[[nodiscard]] std::string presence_at(const std::string& path, const contract::RunRequest& request,
                                      const contract::RunResult& result, const WorkLeft& left);

// Everything in whose place a link would lead to this path: for out/a/b.txt these are out and out/a.
[[nodiscard]] std::vector<std::string> parents_of(const std::string& path);

}  // namespace glovebox::verification
