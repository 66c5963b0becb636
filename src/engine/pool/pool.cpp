#include "engine/pool/pool.h"

#include <signal.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "base/cleanup.h"
#include "base/stopwatch.h"
#include "engine/pool/cell_maker.h"
#include "engine/pool/cell_talk.h"
#include "engine/pool/warm_choice.h"
#include "os/calls.h"

namespace glovebox::engine {
namespace {

using base::ErrorCode;
using base::fail;
using base::Status;
using std::chrono::milliseconds;

constexpr auto kPoolTick = milliseconds(200);
constexpr int kDeathPatienceMs = 5000;
// What recording and answering take after a run.
constexpr auto kRest = milliseconds(1);
constexpr std::uint32_t kFewestMakers = 2;
constexpr std::uint32_t kMostMakers = 8;

}  // namespace

WarmPool::WarmPool(PoolOptions options, PoolHost host)
    : options_(options), host_(host), stop_(::eventfd(0, EFD_CLOEXEC)) {
  const std::uint32_t count = std::clamp(std::thread::hardware_concurrency(), kFewestMakers, kMostMakers);
  for (std::uint32_t index = 0; index < count; ++index) {
    makers_.emplace_back([this] { maker(); });
  }
}

WarmPool::~WarmPool() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
    (void)::eventfd_write(stop_.get(), 1);
    for (auto& [name, kind] : kinds_) {
      call_all(kind);
    }
  }
  work_.notify_all();
  cells_.notify_all();
  for (std::thread& thread : makers_) {
    thread.join();
  }
  for (auto& [name, kind] : kinds_) {
    for (WarmCell& cell : kind.idle) {
      spent_.push_back(remains_of(std::move(cell)));
    }
    kind.idle.clear();
  }
  for (SpentCell& remains : spent_) {
    remains.kill();
    (void)wait_readable(remains.process.pidfd.get(), kDeathPatienceMs);
    (void)(remains.keeper.valid() && wait_readable(remains.keeper.get(), kDeathPatienceMs));
  }
  // Their groups go before the group that holds them.
  spent_.clear();
  groups_.clear();
  kinds_.clear();
}

WarmKindState& WarmPool::kind_of(const LanguageProfile& language, std::size_t set, const std::string& tenant) {
  std::string name = language.id;
  if (!language.warm.sets.empty()) {
    name += "/" + language.warm.sets[set].name;
  }
  const std::string owner = options_.tenants_apart ? tenant : "";
  const std::string key = owner + "\n" + name;
  auto found = kinds_.find(key);
  if (found == kinds_.end()) {
    found = kinds_.try_emplace(key).first;
    found->second.name = name;
    found->second.tenant = owner;
    found->second.language = std::make_shared<const LanguageProfile>(language);
    found->second.set = set;
  }
  return found->second;
}

std::optional<WarmCell> WarmPool::pop_healthy(WarmKindState& kind) {
  while (!kind.idle.empty()) {
    WarmCell cell = std::move(kind.idle.back());
    kind.idle.pop_back();
    if (cell.healthy()) {
      kind.note_hit(cell);
      return cell;
    }
    ++kind.metrics.discarded;
    spent_.push_back(remains_of(std::move(cell)));
  }
  return std::nullopt;
}

std::optional<WarmCell> WarmPool::take(const contract::RunRequest& request, const LanguageProfile& language,
                                       const std::string& tenant) {
  const auto set = choose_warm_set(request, language);
  if (!set) {
    return std::nullopt;
  }
  Lock lock(mutex_);
  WarmKindState& kind = kind_of(language, *set, tenant);
  kind.note_demand(options_, PoolClock::now());
  // Nobody overtakes those who wait.
  std::optional<WarmCell> cell = kind.line.empty() ? pop_healthy(kind) : std::nullopt;
  if (!cell && options_.when_empty == WhenEmpty::queue) {
    cell = wait_in_line(lock, kind);
  }
  if (!cell) {
    ++kind.metrics.misses;
  }
  const bool calm = cell && is_calm(kind, 1);
  if (!calm) {
    rest_until_ = {};
  }
  lock.unlock();
  if (!calm) {
    work_.notify_one();
  }
  return cell;
}

// No more than so many runs go on, nobody waits, and the next one finds a cell of this kind.
bool WarmPool::is_calm(const WarmKindState& kind, std::uint32_t runs) const {
  std::uint32_t going_on = 0;
  std::uint32_t waiting = 0;
  for (const auto& [name, each] : kinds_) {
    going_on += each.in_use;
    waiting += each.waiting();
  }
  return going_on <= runs && waiting == 0 && !kind.idle.empty();
}

// Making a warm cell takes less than running a cold one, so waiting pays; unless making is what does not work.
std::optional<WarmCell> WarmPool::wait_in_line(Lock& lock, WarmKindState& kind) {
  const auto works = [&kind] { return kind.ready() && kind.failures_in_a_row == 0; };
  if (!works() || kind.waiting() >= options_.queue_length) {
    return std::nullopt;
  }
  const auto until = PoolClock::now() + milliseconds(options_.queue_wait_ms);
  WaitingRun run;
  kind.line.push_back(&run);
  work_.notify_one();
  while (!run.cell && !stopping_ && works() && run.called.wait_until(lock, until) != std::cv_status::timeout) {
  }
  if (run.cell) {
    ++kind.metrics.queued;
  } else {
    std::erase(kind.line, &run);
  }
  return std::move(run.cell);
}

void WarmPool::call_all(WarmKindState& kind) {
  for (WaitingRun* run : kind.line) {
    run->called.notify_one();
  }
}

void WarmPool::give_back(const std::string& kind, SpentCell remains) {
  {
    const Lock lock(mutex_);
    if (const auto found = kinds_.find(kind); found != kinds_.end() && found->second.in_use > 0) {
      --found->second.in_use;
      found->second.metrics.run_cpu_ms_total += remains.run_cpu_ms;
      if (is_calm(found->second, 0)) {
        rest_until_ = PoolClock::now() + kRest;
      }
    }
    spent_.push_back(std::move(remains));
  }
  work_.notify_one();
}

Status WarmPool::prepare(const contract::RunRequest& like, const LanguageProfile& language, const std::string& tenant,
                         std::uint32_t cells, milliseconds patience) {
  const auto set = choose_warm_set(like, language);
  if (!set) {
    return fail(ErrorCode::unsupported, "no warm cell fits this request");
  }
  const auto until = PoolClock::now() + patience;
  Lock lock(mutex_);
  WarmKindState& kind = kind_of(language, *set, tenant);
  ++kind.preparing;  // it stays where it is
  const base::Cleanup done([&kind] { --kind.preparing; });
  kind.last_used = PoolClock::now();
  kind.busiest = std::max(kind.busiest, (cells + 1) / 2);
  kind.target = std::max(kind.target, cells);
  work_.notify_all();
  while (kind.idle.size() < cells) {
    if (cells_.wait_until(lock, std::min(until, PoolClock::now() + kPoolTick)) == std::cv_status::timeout &&
        PoolClock::now() >= until) {
      return fail(ErrorCode::setup_failed,
                  kind.last_problem.empty() ? "the warm cells were not ready in time" : kind.last_problem);
    }
    kind.target = std::max(kind.target, cells);
  }
  return {};
}

void WarmPool::note_fallback() {
  const Lock lock(mutex_);
  ++fallbacks_;
}

PoolMetrics WarmPool::metrics() const {
  const Lock lock(mutex_);
  PoolMetrics metrics;
  metrics.kinds = past_;
  const auto now = PoolClock::now();
  for (const auto& [key, kind] : kinds_) {
    PoolKindMetrics entry = kind.metrics;
    entry.idle = static_cast<std::uint32_t>(kind.idle.size());
    entry.target = kind.target;
    for (const WarmCell& cell : kind.idle) {
      entry.idle_ms_oldest = std::max(entry.idle_ms_oldest, base::to_ms(now - cell.made_at));
    }
    if (kind.zygote) {
      entry.zygote_bytes = kind.zygote->memory_bytes();
      entry.refill_cpu_ms_total += kind.zygote->cpu_ms();
    }
    metrics.kinds[kind.name].add(entry);
  }
  metrics.memory_bytes = memory_used();
  metrics.fallbacks = fallbacks_;
  return metrics;
}

std::uint64_t WarmPool::memory_used() const {
  std::uint64_t bytes = 0;
  for (const auto& [name, kind] : kinds_) {
    bytes += (kind.idle.size() + kind.making) * kind.metrics.private_bytes + kind.metrics.zygote_bytes;
  }
  return bytes;
}

}  // namespace glovebox::engine
