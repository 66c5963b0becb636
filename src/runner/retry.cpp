#include "runner/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "base/utf8.h"
#include "contract/error_catalogue.h"
#include "contract/run_result_codec.h"

namespace glovebox::runner {
namespace {

using contract::RunRequest;
using contract::RunResult;
using std::chrono::milliseconds;

constexpr std::size_t kMaxMessageBytes = 200;

class Loop {
 public:
  Loop(const RunProgram& run, RunRequest request, const RetryLimits& limits)
      : run_(run), request_(std::move(request)), limits_(limits), wall_ms_(request_.limits.wall_ms) {}

  // True: it ended.
  bool attempt() {
    request_.limits.wall_ms = std::min(wall_ms_, std::max<std::uint64_t>(budget_left_ms(), 1));
    if (request_.idempotency_key && !report_.attempts.empty()) {
      // Another program is another request.
      request_.idempotency_key = fmt::format("{}-{}", *first_key_, report_.attempts.size() + 1);
    } else {
      first_key_ = request_.idempotency_key;
    }
    RunResult result = run_(request_);
    spent_ += milliseconds(static_cast<std::int64_t>(std::ceil(std::max(result.metrics.wall_ms, 0.0))));
    const std::string signature = error_signature(request_, result);
    const bool again = !report_.attempts.empty() && signature == last_signature_;
    last_signature_ = signature;
    report_.attempts.push_back({request_.code, std::move(result)});
    return judge(again);
  }

  // True: it ended.
  bool ask(const CodeSupplier& supplier) {
    auto code = supplier(brief());
    if (!code) {
      return end(RetryStop::supplier_gave_up, base::cause_of(code.error()));
    }
    const bool tried = std::any_of(report_.attempts.begin(), report_.attempts.end(),
                                   [&](const RetryAttempt& each) { return each.code == *code; });
    if (tried) {
      return end(RetryStop::same_error_twice, "a program came back that has failed before");
    }
    request_.code = std::move(*code);
    return false;
  }

  [[nodiscard]] RetryReport take() { return std::move(report_); }

 private:
  bool end(RetryStop stop, std::string reason) {
    report_.stop = stop;
    report_.reason = std::move(reason);
    return true;
  }

  bool judge(bool same_error_again) {
    const RunResult& result = report_.result();
    if (result.success) {
      return end(RetryStop::success, "the program succeeded");
    }
    const bool cut = request_.limits.wall_ms < wall_ms_ && result.outcome == contract::Outcome::timeout;
    if (cut || budget_left_ms() == 0 || (result.error && result.error->code == base::ErrorCode::budget_exceeded)) {
      return end(RetryStop::budget_exhausted,
                 fmt::format("the execution time of all attempts together is used up ({})",
                             base::format_duration_ms(static_cast<std::uint64_t>(limits_.budget.count()))));
    }
    if (!is_repairable(result)) {
      return end(RetryStop::not_repairable,
                 fmt::format("no new program can mend this: {}", contract::to_string(result.outcome)));
    }
    if (same_error_again) {
      return end(RetryStop::same_error_twice, "the same error came twice in a row");
    }
    if (report_.attempts.size() >= limits_.attempts) {
      return end(RetryStop::attempts_exhausted, fmt::format("{} attempts are made", report_.attempts.size()));
    }
    return false;
  }

  [[nodiscard]] std::uint64_t budget_left_ms() const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>((limits_.budget - spent_).count(), 0));
  }

  [[nodiscard]] RepairBrief brief() const {
    RepairBrief brief = make_brief(request_, report_.result());
    for (std::size_t index = 0; index + 1 < report_.attempts.size(); ++index) {
      brief.tried.push_back(in_short(report_.attempts[index].result));
    }
    brief.attempts_left = limits_.attempts - static_cast<std::uint32_t>(report_.attempts.size());
    brief.budget_left_ms = budget_left_ms();
    return brief;
  }

  const RunProgram& run_;
  RunRequest request_;
  const RetryLimits limits_;
  const std::uint64_t wall_ms_;  // that the caller asked for
  std::optional<std::string> first_key_;
  milliseconds spent_{0};
  std::string last_signature_;
  RetryReport report_;
};

}  // namespace

std::string_view to_string(RetryStop stop) {
  switch (stop) {
    case RetryStop::success:
      return "success";
    case RetryStop::attempts_exhausted:
      return "attempts_exhausted";
    case RetryStop::budget_exhausted:
      return "budget_exhausted";
    case RetryStop::same_error_twice:
      return "same_error_twice";
    case RetryStop::not_repairable:
      return "not_repairable";
    case RetryStop::supplier_gave_up:
      return "supplier_gave_up";
  }
  return "not_repairable";
}

RetryReport run_with_retries(const RunProgram& run, RunRequest request, const CodeSupplier& supplier,
                             const RetryLimits& limits) {
  Loop loop(run, std::move(request), limits);
  while (!loop.attempt() && !loop.ask(supplier)) {
  }
  return loop.take();
}

RetryReport run_with_retries(Runner& runner, RunRequest request, const CodeSupplier& supplier,
                             const RetryLimits& limits, const RunOptions& options) {
  RunOptions each = options;
  each.run_id.clear();
  return run_with_retries([&](const RunRequest& attempt) { return runner.run(attempt, each); }, std::move(request),
                          supplier, limits);
}

std::string to_json(const RetryReport& report, contract::JsonStyle style) {
  contract::JsonWriter json;
  json.begin_object();
  json.string("stop", to_string(report.stop));
  json.string("reason", report.reason);
  json.key("attempts");
  json.begin_array();
  for (const RetryAttempt& attempt : report.attempts) {
    json.begin_object();
    json.string("code", attempt.code);
    json.free_form("result", contract::to_json(attempt.result));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take(style);
}

std::string hand_over(const RetryReport& report) {
  std::string text = fmt::format("{}: {}\n", to_string(report.stop), report.reason);
  for (std::size_t index = 0; index < report.attempts.size(); ++index) {
    const RunResult& result = report.attempts[index].result;
    text += fmt::format("  attempt {}: {}", index + 1, contract::to_string(result.outcome));
    if (result.error) {
      text += fmt::format(": {}{}", result.error->type.empty() ? "" : result.error->type + ": ",
                          base::printable(result.error->message, kMaxMessageBytes));
      text += result.error->line ? fmt::format(" (line {})", *result.error->line) : "";
    }
    text += fmt::format(" [{}]\n", result.run_id);
  }
  if (report.stop != RetryStop::success && report.result().error) {
    text += fmt::format("  → {}\n", contract::catalogue_entry(report.result().error->code).hint_person);
  }
  return text;
}

}  // namespace glovebox::runner
