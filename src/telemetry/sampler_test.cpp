#include "telemetry/sampler.h"

#include <gtest/gtest.h>

namespace glovebox::telemetry {
namespace {

using Parent = Sampler::Parent;

TraceContext caller(bool sampled) {
  TraceContext context;
  context.trace_id = random_trace_id();
  context.span_id = random_span_id();
  context.sampled = sampled;
  context.state = "a=1";
  return context;
}

TEST(Sampler, KnowsTheStandardNames) {
  EXPECT_EQ(*parse_sampler("", ""), (Sampler{1, Parent::decides}));
  EXPECT_EQ(*parse_sampler("always_on", ""), (Sampler{1, Parent::is_ignored}));
  EXPECT_EQ(*parse_sampler("always_off", ""), (Sampler{0, Parent::is_ignored}));
  EXPECT_EQ(*parse_sampler("traceidratio", "0.25"), (Sampler{0.25, Parent::is_ignored}));
  EXPECT_EQ(*parse_sampler("parentbased_always_on", ""), (Sampler{1, Parent::decides}));
  EXPECT_EQ(*parse_sampler("parentbased_always_off", ""), (Sampler{0, Parent::decides}));
  EXPECT_EQ(*parse_sampler("parentbased_traceidratio", "0.5"), (Sampler{0.5, Parent::decides}));
  EXPECT_EQ(*parse_sampler("traceidratio", ""), (Sampler{1, Parent::is_ignored}));
}

TEST(Sampler, RefusesWhatItDoesNotUnderstand) {
  for (const char* name : {"jaeger_remote", "parentbased_", "ALWAYS_ON", "xray"}) {
    EXPECT_FALSE(parse_sampler(name, "")) << name;
  }
  for (const char* ratio : {"-0.1", "1.1", "nan", "inf", "half", "0.5x", " 0.5"}) {
    EXPECT_FALSE(parse_sampler("traceidratio", ratio)) << ratio;
  }
}

TEST(Sampler, FollowsTheCallerOrDoesNot) {
  const Sampler off{0, Parent::decides};
  const Sampler on{1, Parent::decides};
  EXPECT_TRUE(off.samples(caller(true), random_trace_id()));
  EXPECT_FALSE(on.samples(caller(false), random_trace_id()));
  EXPECT_FALSE((Sampler{0, Parent::is_ignored}).samples(caller(true), random_trace_id()));
  EXPECT_TRUE((Sampler{1, Parent::is_ignored}).samples(caller(false), random_trace_id()));
}

TEST(Sampler, TakesItsShareAndAlwaysTheSameTraces) {
  const Sampler quarter{0.25, Parent::decides};
  const Sampler half{0.5, Parent::decides};
  int taken = 0;
  constexpr int kTraces = 20'000;
  for (int index = 0; index < kTraces; ++index) {
    const TraceId id = random_trace_id();
    const bool in_quarter = quarter.samples(std::nullopt, id);
    taken += in_quarter ? 1 : 0;
    EXPECT_EQ(quarter.samples(std::nullopt, id), in_quarter);
    EXPECT_TRUE(!in_quarter || half.samples(std::nullopt, id)) << "a larger share holds the smaller";
  }
  EXPECT_NEAR(taken, kTraces / 4, kTraces / 40);
}

TEST(Context, JoinsTheCallersTraceOrStartsOne) {
  const TraceContext outer = caller(true);
  const TraceContext inner = start_context(outer, {});
  EXPECT_EQ(inner.trace_id, outer.trace_id);
  EXPECT_NE(inner.span_id, outer.span_id);
  EXPECT_TRUE(inner.sampled);
  EXPECT_EQ(inner.state, "a=1");
  const TraceContext fresh = start_context(std::nullopt, {});
  EXPECT_FALSE(fresh.trace_id.is_zero());
  EXPECT_TRUE(fresh.sampled);
  EXPECT_EQ(child_of(fresh).trace_id, fresh.trace_id);
  EXPECT_NE(child_of(fresh).span_id, fresh.span_id);
}

}  // namespace
}  // namespace glovebox::telemetry
