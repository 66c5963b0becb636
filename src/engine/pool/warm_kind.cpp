#include "engine/pool/warm_kind.h"

#include <algorithm>
#include <utility>

#include "base/stopwatch.h"

namespace glovebox::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kWindow = seconds(10);
constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{30'000};

}  // namespace

void PoolKindMetrics::add(const PoolKindMetrics& other) {
  hits += other.hits;
  queued += other.queued;
  misses += other.misses;
  made += other.made;
  discarded += other.discarded;
  failures += other.failures;
  zygotes += other.zygotes;
  idle += other.idle;
  target += other.target;
  refill_ms_total += other.refill_ms_total;
  refill_cpu_ms_total += other.refill_cpu_ms_total;
  run_cpu_ms_total += other.run_cpu_ms_total;
  idle_ms_total += other.idle_ms_total;
  idle_ms_oldest = std::max(idle_ms_oldest, other.idle_ms_oldest);
  private_bytes = std::max(private_bytes, other.private_bytes);
  zygote_bytes += other.zygote_bytes;
}

bool WarmKindState::at_rest() const {
  return in_use == 0 && making == 0 && !setting_up && preparing == 0 && line.empty();
}

std::shared_ptr<Zygote> WarmKindState::let_zygote_go() {
  if (zygote) {
    metrics.refill_cpu_ms_total += zygote->cpu_ms();
  }
  metrics.zygote_bytes = 0;
  return std::exchange(zygote, nullptr);
}

void WarmKindState::note_hit(const WarmCell& cell) {
  ++metrics.hits;
  metrics.idle_ms_total += base::ms_since(cell.made_at);
  ++in_use;
}

void WarmKindState::note_demand(const PoolOptions& options, PoolClock::time_point now) {
  last_used = now;
  busiest = std::max(busiest, in_use + waiting() + 1);
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
    busiest = in_use + waiting();
  }
}

std::uint32_t WarmKindState::missing() const {
  const auto wanted = target + waiting();
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
