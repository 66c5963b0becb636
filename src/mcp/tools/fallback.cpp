// F1: what is tried when the cell of a language fails us. The walls, the limits and the policy stay as they are; only
// the way to start the program is another one.
#include <fmt/format.h>

#include "base/secrets.h"
#include "mcp/tools/run_job.h"

namespace glovebox::mcp {
namespace {

using contract::Outcome;
using contract::RunRequest;

struct Interpreter {
  std::string_view language;
  std::string_view file;
  std::string_view command;
};

constexpr Interpreter kInterpreters[] = {
    {"python", "/tmp/program.py", "PYTHONPATH=/work PYTHONDONTWRITEBYTECODE=1 exec python3 /tmp/program.py"},
    {"javascript", "/tmp/program.js", "NODE_PATH=/work exec node /tmp/program.js"},
};

}  // namespace

bool is_infrastructure_failure(const contract::RunResult& result) {
  // Without an attempt no cell has failed: something before it did.
  const bool ours = result.outcome == Outcome::setup_failed || result.outcome == Outcome::internal_error;
  if (!ours || result.attempts.empty()) {
    return false;
  }
  // A host that cannot do it will not be able to the next time.
  return !result.error || result.error->code == base::ErrorCode::setup_failed ||
         result.error->code == base::ErrorCode::internal_error;
}

std::optional<RunRequest> shell_fallback(const RunRequest& request) {
  // solve(input) is a matter of the language's own cell.
  if (request.input_json) {
    return std::nullopt;
  }
  for (const Interpreter& one : kInterpreters) {
    if (one.language != request.language) {
      continue;
    }
    std::string mark = "end_" + base::random_hex(8);
    RunRequest shell = request;
    shell.language = "bash";
    shell.code = fmt::format("cat > {} <<'{}'\n{}\n{}\n{} \"$@\"\n", one.file, mark, request.code, mark, one.command);
    return shell;
  }
  return std::nullopt;
}

}  // namespace glovebox::mcp
