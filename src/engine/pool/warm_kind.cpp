#include "engine/pool/warm_kind.h"

#include <algorithm>

namespace glovebox::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kWindow = seconds(10);
constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{30'000};

}  // namespace

void WarmKindState::note_demand(const PoolOptions& options, PoolClock::time_point now) {
  last_used = now;
  busiest = std::max(busiest, in_use + waiting + 1);
  // Twice what ran at once: while one cell runs, the next for the same caller is being made.
  target = std::clamp(std::max(target, 2 * busiest), options.least_idle, options.most_idle);
}

void WarmKindState::forget(const PoolOptions& options, PoolClock::time_point now) {
  if (now - last_used > seconds(options.idle_age_s)) {
    target = 0;
    return;
  }
  if (now - window_start > kWindow) {
    window_start = now;
    target = target == 0 ? 0 : std::clamp(2 * busiest, options.least_idle, options.most_idle);
    busiest = in_use + waiting;
  }
}

std::uint32_t WarmKindState::missing() const {
  const auto wanted = target + waiting;
  const auto coming = static_cast<std::uint32_t>(idle.size()) + making;
  return wanted > coming ? wanted - coming : 0;
}

bool WarmKindState::ready() const {
  return nursery != nullptr && nursery->alive() &&
         (language->warm.kind == WarmKind::started || (zygote != nullptr && zygote->alive()));
}

void WarmKindState::note_failure(PoolClock::time_point now) {
  ++metrics.failures;
  const std::uint32_t doublings = std::min<std::uint32_t>(failures_in_a_row++, 16);
  retry_at = now + std::min(kLongestPause, kFirstPause * (1U << doublings));
}

}  // namespace glovebox::engine
