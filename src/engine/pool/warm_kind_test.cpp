#include "engine/pool/warm_kind.h"

#include <gtest/gtest.h>

namespace glovebox::engine {
namespace {

using std::chrono::seconds;

TEST(WarmKind, KeepsTwiceAsManyAsRanAtOnceWithinItsBounds) {
  PoolOptions options;
  WarmKindState kind;
  const auto now = PoolClock::now();
  EXPECT_EQ(kind.missing(), 0U) << "nobody asked for it yet";
  kind.note_demand(options, now);
  EXPECT_EQ(kind.target, options.least_idle);
  kind.in_use = 4;
  kind.note_demand(options, now);
  EXPECT_EQ(kind.target, 10U);
  kind.in_use = 100;
  kind.note_demand(options, now);
  EXPECT_EQ(kind.target, options.most_idle);
}

TEST(WarmKind, ForgetsDemandWithTime) {
  PoolOptions options;
  WarmKindState kind;
  const auto now = PoolClock::now();
  kind.in_use = 6;
  kind.note_demand(options, now);
  kind.in_use = 0;
  kind.forget(options, now + seconds(11));  // the window with the demand ends
  EXPECT_EQ(kind.target, 14U);
  kind.forget(options, now + seconds(23));  // a window without any
  EXPECT_EQ(kind.target, options.least_idle);
  kind.forget(options, now + seconds(options.idle_age_s + 1));
  EXPECT_EQ(kind.target, 0U);
}

TEST(WarmKind, MakesWhatIsMissingForThoseWhoWaitToo) {
  WarmKindState kind;
  kind.target = 3;
  WaitingRun first;
  WaitingRun second;
  kind.line = {&first, &second};
  kind.making = 1;
  EXPECT_EQ(kind.missing(), 4U);
}

TEST(WarmKind, PutsOffTheNextTryLongerWithEveryFailure) {
  WarmKindState kind;
  const auto now = PoolClock::now();
  kind.note_failure(now);
  const auto first = kind.retry_at - now;
  kind.note_failure(now);
  EXPECT_GT(kind.retry_at - now, first);
  for (int count = 0; count < 50; ++count) {
    kind.note_failure(now);
  }
  EXPECT_LE(kind.retry_at - now, seconds(30));
}

}  // namespace
}  // namespace glovebox::engine
