#include "telemetry/run_spans.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace glovebox::telemetry {
namespace {

constexpr std::uint64_t kStart = 1'700'000'000'000'000'000;

TraceContext sampled_parent() {
  TraceContext parent;
  parent.trace_id = random_trace_id();
  parent.span_id = random_span_id();
  parent.sampled = true;
  parent.state = "a=1";
  return parent;
}

contract::RunResult result_with(std::map<std::string, double> stages) {
  contract::RunResult result;
  result.run_id = "run_1";
  result.outcome = contract::Outcome::ok;
  result.metrics.stages = std::move(stages);
  result.attempts = {{"cold", "ok"}};
  return result;
}

std::vector<Span> spans_of(const contract::RunResult& result, const TraceContext& parent) {
  return spans_of_run(result, {"python", kStart, 0, parent});
}

std::map<std::string, Span> by_name(const std::vector<Span>& spans) {
  std::map<std::string, Span> named;
  for (const Span& span : spans) {
    EXPECT_TRUE(named.emplace(span.name, span).second) << span.name << " comes twice";
  }
  return named;
}

const Attribute* attribute(const Span& span, std::string_view key) {
  for (const Attribute& candidate : span.attributes) {
    if (candidate.key == key) {
      return &candidate;
    }
  }
  return nullptr;
}

TEST(RunSpans, LayAColdRunInOrderWithTheCellsOwnStepsInsideItsSetup) {
  const TraceContext parent = sampled_parent();
  const auto spans = spans_of(result_with({{"plan", 1},
                                           {"cgroup", 2},
                                           {"clone", 3},
                                           {"identity", 1},
                                           {"root", 4},
                                           {"seal", 2},
                                           {"inputs", 5},
                                           {"setup", 8},
                                           {"program", 20},
                                           {"collect", 1},
                                           {"teardown", 2}}),
                              parent);
  ASSERT_EQ(spans.size(), 12U);
  EXPECT_EQ(spans.front().name, "glovebox.run");
  const auto named = by_name(spans);
  const Span& run = named.at("glovebox.run");
  const auto at_ms = [](const Span& span) {
    return std::pair((span.start_unix_ns - kStart) / 1'000'000, (span.end_unix_ns - kStart) / 1'000'000);
  };
  using Times = std::pair<std::uint64_t, std::uint64_t>;
  const std::map<std::string, Times> wanted = {{"run", {0, 37}},      {"plan", {0, 1}},      {"cgroup", {1, 3}},
                                               {"clone", {3, 6}},     {"setup", {6, 14}},    {"identity", {6, 7}},
                                               {"root", {7, 11}},     {"seal", {11, 13}},    {"inputs", {6, 11}},
                                               {"program", {14, 34}}, {"collect", {34, 35}}, {"teardown", {35, 37}}};
  std::set<std::string> ids;
  for (const auto& [stage, times] : wanted) {
    const Span& span = named.at("glovebox." + stage);
    EXPECT_EQ(at_ms(span), times) << stage;
    EXPECT_EQ(span.trace_id, parent.trace_id);
    EXPECT_EQ(span.trace_state, "a=1");
    ids.insert(span.span_id.hex());
    const bool inner = stage == "identity" || stage == "root" || stage == "seal" || stage == "inputs";
    const SpanId& above = stage == "run" ? parent.span_id : inner ? named.at("glovebox.setup").span_id : run.span_id;
    EXPECT_EQ(span.parent, above) << stage;
  }
  EXPECT_EQ(ids.size(), wanted.size());
}

TEST(RunSpans, LayAWarmRunAndItsQueue) {
  contract::RunResult result = result_with({{"policy", 4},
                                            {"plan", 1},
                                            {"take", 2},
                                            {"limits", 1},
                                            {"inputs", 1},
                                            {"setup", 2},
                                            {"program", 5},
                                            {"collect", 0},
                                            {"teardown", 1},
                                            {"record", 3}});
  result.metrics.queue_ms = 10;
  const auto named = by_name(spans_of(result, sampled_parent()));
  EXPECT_EQ(named.at("glovebox.queue").start_unix_ns, kStart);
  EXPECT_EQ(named.at("glovebox.policy").start_unix_ns, kStart + 10'000'000);
  EXPECT_EQ(named.at("glovebox.plan").start_unix_ns, kStart + 14'000'000);
  EXPECT_EQ(named.at("glovebox.setup").start_unix_ns, kStart + 18'000'000);
  EXPECT_EQ(named.at("glovebox.record").start_unix_ns, kStart + 26'000'000) << "an unknown stage comes last";
  EXPECT_EQ(named.at("glovebox.run").end_unix_ns, kStart + 29'000'000);
}

TEST(RunSpans, SayWhatHappenedAndNothingOfTheProgram) {
  contract::RunResult result = result_with({{"program", 1}});
  result.outcome = contract::Outcome::program_failed;
  result.standard_output = "SECRET";
  result.standard_error = "SECRET";
  result.error = contract::RunError{};
  result.error->message = "SECRET";
  result.denials = {{"SECRET", "SECRET", "seccomp", "SECRET", 4}};
  result.exit_code = 3;
  result.metrics.cpu_ms = 1.5;
  result.metrics.peak_memory_bytes = std::numeric_limits<std::uint64_t>::max();
  const Span run = spans_of(result, sampled_parent()).front();
  EXPECT_EQ(attribute(run, "glovebox.run_id")->value, decltype(Attribute::value)(std::string("run_1")));
  EXPECT_EQ(attribute(run, "glovebox.outcome")->value, decltype(Attribute::value)(std::string("program_failed")));
  EXPECT_EQ(attribute(run, "glovebox.exit_code")->value, decltype(Attribute::value)(std::int64_t{3}));
  EXPECT_EQ(attribute(run, "glovebox.cpu_ms")->value, decltype(Attribute::value)(1.5));
  EXPECT_EQ(attribute(run, "glovebox.peak_memory_bytes")->value, decltype(Attribute::value)(INT64_MAX));
  EXPECT_EQ(run.status, SpanStatus::unset) << "a program that failed is a run that worked";
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.events.front().attributes.size(), 2U);
  for (const Attribute& given : run.attributes) {
    const auto* text = std::get_if<std::string>(&given.value);
    EXPECT_TRUE(text == nullptr || text->find("SECRET") == std::string::npos) << given.key;
  }
}

TEST(RunSpans, CallOnlyOurFailuresErrors) {
  for (int index = 0; index < contract::kOutcomeCount; ++index) {
    contract::RunResult result = result_with({});
    result.outcome = static_cast<contract::Outcome>(index);
    const bool ours =
        result.outcome == contract::Outcome::setup_failed || result.outcome == contract::Outcome::internal_error;
    const Span run = spans_of(result, sampled_parent()).front();
    EXPECT_EQ(run.status, ours ? SpanStatus::error : SpanStatus::unset) << contract::to_string(result.outcome);
  }
}

TEST(RunSpans, OfACachedResultAreOne) {
  contract::RunResult result = result_with({{"program", 500}});
  result.cached = true;
  const auto spans = spans_of_run(result, {"python", kStart, kStart + 1000, sampled_parent()});
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans.front().end_unix_ns, kStart + 1000);
}

TEST(RunSpans, AreNoneInATraceThatIsNotRecorded) {
  TraceContext parent = sampled_parent();
  parent.sampled = false;
  EXPECT_TRUE(spans_of(result_with({{"program", 1}}), parent).empty());
}

TEST(RunSpans, SurviveTimesThatMakeNoSense) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::map<std::string, double> stages = {{"plan", -5}, {"program", infinity}, {"setup", std::nan("")}};
  for (int index = 0; index < 1000; ++index) {
    stages["made-up-" + std::to_string(index)] = 1e300;
  }
  const auto spans = spans_of(result_with(std::move(stages)), sampled_parent());
  EXPECT_LT(spans.size(), 32U);
  for (const Span& span : spans) {
    EXPECT_GE(span.start_unix_ns, kStart);
    EXPECT_GE(span.end_unix_ns, span.start_unix_ns);
  }
}

}  // namespace
}  // namespace glovebox::telemetry
