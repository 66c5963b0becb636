#include "telemetry/run_spans.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace glovebox::telemetry {
namespace {

// One after the other; "setup" holds the four below.
constexpr std::array<std::string_view, 10> kInOrder = {"policy", "plan",  "take",    "cgroup",  "clone",
                                                       "limits", "setup", "program", "collect", "teardown"};
constexpr std::array<std::string_view, 3> kInSetup = {"identity", "root", "seal"};
constexpr std::string_view kBesideSetup = "inputs";
constexpr std::size_t kMostOtherStages = 16;

std::uint64_t to_ns(double milliseconds) {
  constexpr double kNanoseconds = 1e6;
  constexpr double kLongest = 1e15;  // eleven days; a result may come from anywhere
  return milliseconds > 0 ? static_cast<std::uint64_t>(std::llround(std::min(milliseconds * kNanoseconds, kLongest)))
                          : 0;
}

std::int64_t to_signed(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
}

bool is_known(std::string_view stage) {
  const auto is_in = [&](const auto& names) { return std::find(names.begin(), names.end(), stage) != names.end(); };
  return is_in(kInOrder) || is_in(kInSetup) || stage == kBesideSetup;
}

class Layout {
 public:
  Layout(const contract::RunResult& result, const RunSpanPlace& place) : result_(result) {
    spans_.push_back(make("glovebox.run", place.parent.trace_id, place.parent.span_id, place.start_unix_ns));
    spans_.front().trace_state = place.parent.state;
    cursor_ = place.start_unix_ns;
  }

  void lay_stages() {
    if (result_.metrics.queue_ms > 0) {
      next("queue", result_.metrics.queue_ms);
    }
    for (const std::string_view stage : kInOrder) {
      const std::uint64_t began = cursor_;
      const SpanId id = next_if_measured(stage);
      if (stage == "setup") {
        lay_setup(began, id.is_zero() ? root() : id);
      }
    }
    std::size_t others = 0;
    for (const auto& [stage, milliseconds] : result_.metrics.stages) {
      if (!is_known(stage) && ++others <= kMostOtherStages) {
        next(stage, milliseconds);
      }
    }
  }

  std::vector<Span> finish(std::uint64_t end_unix_ns) {
    std::uint64_t end = std::max(end_unix_ns, spans_.front().start_unix_ns);
    if (end_unix_ns == 0) {
      for (const Span& span : spans_) {
        end = std::max(end, span.end_unix_ns);
      }
    }
    spans_.front().end_unix_ns = end;
    return std::move(spans_);
  }

 private:
  [[nodiscard]] SpanId root() const { return spans_.front().span_id; }

  static Span make(std::string name, const TraceId& trace, const SpanId& parent, std::uint64_t start) {
    Span span;
    span.trace_id = trace;
    span.span_id = random_span_id();
    span.parent = parent;
    span.name = std::move(name);
    span.start_unix_ns = start;
    span.end_unix_ns = start;
    return span;
  }

  // Returns the span's id and where it ends.
  std::pair<SpanId, std::uint64_t> add(std::string_view stage, double milliseconds, const SpanId& parent,
                                       std::uint64_t start) {
    Span span = make("glovebox." + std::string(stage), spans_.front().trace_id, parent, start);
    span.trace_state = spans_.front().trace_state;
    span.end_unix_ns = start + to_ns(milliseconds);
    const SpanId id = span.span_id;
    const std::uint64_t end = span.end_unix_ns;
    spans_.push_back(std::move(span));
    return {id, end};
  }

  SpanId next(std::string_view stage, double milliseconds) {
    const auto [id, end] = add(stage, milliseconds, root(), cursor_);
    cursor_ = end;
    return id;
  }

  SpanId next_if_measured(std::string_view stage) {
    const auto found = result_.metrics.stages.find(std::string(stage));
    return found == result_.metrics.stages.end() ? SpanId() : next(stage, found->second);
  }

  void lay_setup(std::uint64_t began, const SpanId& setup) {
    const auto& stages = result_.metrics.stages;
    std::uint64_t inner = began;
    for (const std::string_view stage : kInSetup) {
      if (const auto found = stages.find(std::string(stage)); found != stages.end()) {
        inner = add(stage, found->second, setup, inner).second;
      }
    }
    if (const auto found = stages.find(std::string(kBesideSetup)); found != stages.end()) {
      (void)add(kBesideSetup, found->second, setup, began);
    }
  }

  const contract::RunResult& result_;
  std::vector<Span> spans_;
  std::uint64_t cursor_ = 0;
};

void describe(Span& span, const contract::RunResult& result, std::string_view language) {
  span.attributes = {
      {"glovebox.run_id", result.run_id},
      {"glovebox.language", std::string(language)},
      {"glovebox.outcome", std::string(contract::to_string(result.outcome))},
      {"glovebox.isolation", result.provenance.isolation},
      {"glovebox.warm", result.provenance.warm},
      {"glovebox.cached", result.cached},
      {"glovebox.attempts", static_cast<std::int64_t>(result.attempts.size())},
      {"glovebox.cpu_ms", result.metrics.cpu_ms},
      {"glovebox.peak_memory_bytes", to_signed(result.metrics.peak_memory_bytes)},
  };
  if (result.exit_code) {
    span.attributes.push_back({"glovebox.exit_code", std::int64_t{*result.exit_code}});
  }
  // A program that failed is a run that worked. An error of the span is one of ours.
  if (result.outcome == contract::Outcome::internal_error || result.outcome == contract::Outcome::setup_failed) {
    span.status = SpanStatus::error;
    span.status_message = result.error ? std::string(base::to_string(result.error->code))
                                       : std::string(contract::to_string(result.outcome));
  }
  constexpr std::size_t kMostDenials = 8;
  for (std::size_t index = 0; index < std::min(result.denials.size(), kMostDenials); ++index) {
    const contract::Denial& denial = result.denials[index];
    span.events.push_back({"glovebox.denial",
                           span.end_unix_ns,
                           {{"glovebox.layer", denial.layer}, {"glovebox.count", to_signed(denial.count)}}});
  }
}

}  // namespace

std::vector<Span> spans_of_run(const contract::RunResult& result, const RunSpanPlace& place) {
  if (!place.parent.sampled) {
    return {};
  }
  Layout layout(result, place);
  if (!result.cached) {
    layout.lay_stages();
  }
  std::vector<Span> spans = layout.finish(place.end_unix_ns);
  describe(spans.front(), result, place.language);
  return spans;
}

}  // namespace glovebox::telemetry
