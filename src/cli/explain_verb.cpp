#include "cli/app.h"
#include "cli/request_flags.h"
#include "cli/standard_output.h"
#include "engine/plan/sandbox_plan.h"
#include "runner/runner.h"

namespace glovebox::cli {

int explain_verb(Arguments arguments) {
  RequestFlags flags;
  CLI::App app("Shows the cell that `glovebox run` would build from the same flags, without running anything.",
               "glovebox explain");
  add_request_flags(app, flags);
  app.footer("example:\n  glovebox explain script.py --memory 512M\n");
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  if (!flags.has_code && flags.words.empty() && flags.request_file.empty()) {
    flags.has_code = true;  // the plan of an empty program shows the defaults
  }
  auto runner = make_runner(flags);
  if (!runner) {
    return report(runner.error());
  }
  auto request = build_request(flags, (*runner)->languages());
  if (!request) {
    return report(request.error());
  }
  const auto plan = (*runner)->explain(*request);
  if (!plan) {
    return report(plan.error());
  }
  return print(engine::describe(*plan));
}

}  // namespace glovebox::cli
