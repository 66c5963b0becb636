// The other half of the pool: what happens while nobody waits.
#include <algorithm>

#include "base/stopwatch.h"
#include "engine/pool/cell_maker.h"
#include "engine/pool/cell_talk.h"
#include "engine/pool/pool.h"
#include "os/calls.h"

namespace glovebox::engine {
namespace {

using base::Result;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMostSpareGroups = 64;
constexpr auto kMakerTick = milliseconds(200);
constexpr auto kFreshDemand = seconds(2);
constexpr auto kGroupsAreCounted = seconds(2);

}  // namespace

void WarmPool::maker() {
  Lock lock(mutex_);
  while (!stopping_) {
    if (PoolClock::now() < rest_until_) {
      work_.wait_until(lock, rest_until_);
      continue;
    }
    tidy(lock);
    const auto now = PoolClock::now();
    retire(lock, now);
    WarmKindState* kind = next_to_serve(now);
    if (kind == nullptr) {
      work_.wait_for(lock, kMakerTick);
    } else if (!kind->ready()) {
      set_up(lock, *kind);
    } else {
      make_one(lock, *kind);
    }
  }
}

// Within the budget everything is. Beyond it nothing new begins, but what is there goes on: a zygote without cells
// would be of no use to anybody.
bool WarmPool::is_affordable(const WarmKindState& kind) const {
  const std::uint64_t used = memory_used();
  if (!kind.ready()) {
    return used == 0 || kinds_.size() == 1 || used + kind.metrics.zygote_bytes <= options_.memory_budget_bytes;
  }
  return kind.waiting() > 0 || kind.idle.size() + kind.making < options_.least_idle ||
         used + kind.metrics.private_bytes <= options_.memory_budget_bytes;
}

// The kind that lacks the most, first of all one that somebody waits for, as far as the budget reaches.
WarmKindState* WarmPool::next_to_serve(PoolClock::time_point now) {
  WarmKindState* best = nullptr;
  for (auto& [name, kind] : kinds_) {
    if (kind.missing() == 0 || kind.setting_up || now < kind.retry_at) {
      continue;
    }
    if (is_affordable(kind) && (best == nullptr || kind.waiting() > best->waiting() ||
                                (kind.waiting() == best->waiting() && kind.missing() > best->missing()))) {
      best = &kind;
    }
  }
  return best;
}

// As root, the pool's groups are handed to the user that its nurseries run as.
base::Status WarmPool::find_site() {
  const auto owner = Nursery::host_user(host_.facts);
  if (owner && !delegated_) {
    auto delegated = os::DelegatedSite::create(host_.site, *owner);
    if (!delegated) {
      return base::fail(std::move(delegated.error()));
    }
    delegated_.emplace(std::move(*delegated));
  }
  return {};
}

void WarmPool::set_up(Lock& lock, WarmKindState& kind) {
  kind.setting_up = true;
  std::shared_ptr<Zygote> dead_zygote = kind.let_zygote_go();
  std::shared_ptr<Nursery> dead_nursery;
  const std::string place = kind.tenant + "\n" + kind.language->id;
  std::shared_ptr<Nursery> nursery = nurseries_[place].lock();
  if (nursery && !nursery->alive()) {
    nursery.reset();
  }
  if (kind.nursery != nursery) {
    dead_nursery = std::move(kind.nursery);
  }
  const std::shared_ptr<const LanguageProfile> language = kind.language;
  base::Status done = find_site();
  lock.unlock();
  dead_zygote.reset();
  dead_nursery.reset();
  if (done && !nursery) {
    if (auto started = Nursery::start(host_.launcher, host_.image, *language, host_.facts, site()); started) {
      nursery = std::move(*started);
    } else {
      done = base::fail(std::move(started.error()));
    }
  }
  std::shared_ptr<Zygote> zygote;
  if (done && language->warm.kind == WarmKind::zygote) {
    if (auto started = Zygote::start(nursery, site(), *language, language->warm.sets[kind.set], stop_.get()); started) {
      zygote = std::move(*started);
    } else {
      done = base::fail(std::move(started.error()));
    }
  }
  lock.lock();
  kind.setting_up = false;
  if (!done) {
    kind.last_problem = done.error().message;
    kind.note_failure(PoolClock::now());
    call_all(kind);
    return;
  }
  nurseries_[place] = nursery;
  kind.nursery = std::move(nursery);
  kind.zygote = std::move(zygote);
  if (kind.zygote) {
    ++kind.metrics.zygotes;
    kind.metrics.zygote_bytes = kind.zygote->memory_bytes();
  }
}

Result<os::CellCgroup> WarmPool::cgroup_for_cell(Lock& lock) {
  if (!groups_.empty()) {
    os::CellCgroup group = std::move(groups_.back());
    groups_.pop_back();
    least_spare_groups_ = std::min(least_spare_groups_, groups_.size());
    lock.unlock();
    if (group.set_limits(waiting_limits())) {
      return group;
    }
  } else {
    least_spare_groups_ = 0;
    lock.unlock();
  }
  return os::CellCgroup::create(site(), waiting_limits());
}

void WarmPool::make_one(Lock& lock, WarmKindState& kind) {
  ++kind.making;
  const auto started = PoolClock::now();
  std::shared_ptr<Nursery> nursery = kind.nursery;
  std::shared_ptr<Zygote> zygote = kind.zygote;
  const std::shared_ptr<const LanguageProfile> language = kind.language;
  auto group = cgroup_for_cell(lock);
  Result<WarmCell> made = base::fail(base::ErrorCode::internal_error, "");
  if (group) {
    made = make_warm_cell({*language, *nursery, zygote.get(), host_.facts.landlock_abi, options_.fresh_network},
                          std::move(*group));
  } else {
    made = base::fail(std::move(group.error()));
  }
  lock.lock();
  --kind.making;
  if (!made) {
    kind.last_problem = made.error().message;
    kind.note_failure(PoolClock::now());
    if (kind.zygote == zygote) {
      (void)kind.let_zygote_go();  // in doubt; it ends below
    }
    call_all(kind);
    lock.unlock();
    zygote.reset();
    nursery.reset();
    lock.lock();
    return;
  }
  kind.failures_in_a_row = 0;
  ++kind.metrics.made;
  kind.metrics.refill_ms_total += base::ms_since(started);
  kind.metrics.refill_cpu_ms_total += made->make_cpu_ms;
  if (kind.metrics.made % 64 == 1) {
    kind.metrics.private_bytes = made->cgroup.memory_bytes().value_or(0);
  }
  made->kind = kind.tenant + "\n" + kind.name;
  if (!kind.line.empty()) {
    WaitingRun& first = *kind.line.front();
    kind.line.pop_front();
    kind.note_hit(*made);
    first.cell = std::move(*made);
    first.called.notify_one();
  } else {
    kind.idle.push_back(std::move(*made));
    cells_.notify_all();
  }
  // It may have been let go meanwhile, and then it ends here.
  lock.unlock();
  zygote.reset();
  nursery.reset();
  lock.lock();
}

// Buries what is dead: its control groups serve again, or are removed.
void WarmPool::tidy(Lock& lock) {
  std::vector<SpentCell> dead;
  std::erase_if(spent_, [&dead](SpentCell& remains) {
    remains.kill();
    if (!remains.dead()) {
      return false;
    }
    dead.push_back(std::move(remains));
    return true;
  });
  if (dead.empty()) {
    return;
  }
  lock.unlock();
  std::vector<os::CellCgroup> renewed;
  for (SpentCell& remains : dead) {
    if (remains.reusable && remains.cgroup.renew()) {
      renewed.push_back(std::move(remains.cgroup));
    }
  }
  dead.clear();
  lock.lock();
  while (!renewed.empty() && groups_.size() < kMostSpareGroups) {
    groups_.push_back(std::move(renewed.back()));
    renewed.pop_back();
  }
  if (!renewed.empty()) {
    lock.unlock();
    renewed.clear();
    lock.lock();
  }
}

void WarmPool::retire(Lock& lock, PoolClock::time_point now) {
  Farewell farewell;
  for (auto& [key, kind] : kinds_) {
    retire_kind(kind, now, farewell);
  }
  make_room(now, farewell);
  std::erase_if(nurseries_, [](const auto& entry) { return entry.second.expired(); });
  spare_fewer_groups(now, farewell);
  if (!farewell.zygotes.empty() || !farewell.nurseries.empty() || !farewell.groups.empty()) {
    lock.unlock();
    farewell.zygotes.clear();
    farewell.nurseries.clear();
    farewell.groups.clear();
    lock.lock();
  }
}

// A moment in which many cells ended at once leaves more groups than are needed afterwards.
void WarmPool::spare_fewer_groups(PoolClock::time_point now, Farewell& farewell) {
  if (now - groups_counted_ < kGroupsAreCounted) {
    return;
  }
  groups_counted_ = now;
  for (std::size_t left = std::min(least_spare_groups_, groups_.size()); left > 0; --left) {
    farewell.groups.push_back(std::move(groups_.back()));
    groups_.pop_back();
  }
  least_spare_groups_ = groups_.size();
}

// A zygote that has served long enough, cells that waited too long, and cells that are too many.
void WarmPool::retire_kind(WarmKindState& kind, PoolClock::time_point now, Farewell& farewell) {
  kind.forget(options_, now);
  while (!kind.idle.empty() &&
         (kind.idle.size() > kind.target || now - kind.idle.front().made_at > seconds(options_.idle_age_s))) {
    spent_.push_back(remains_of(std::move(kind.idle.front())));
    kind.idle.erase(kind.idle.begin());
    ++kind.metrics.discarded;
  }
  const bool unwanted = kind.target == 0 && kind.idle.empty() && kind.making == 0 && !kind.setting_up;
  if (kind.zygote && (unwanted || kind.zygote->children() >= options_.zygote_cells ||
                      now - kind.zygote->born() > seconds(options_.zygote_age_s))) {
    farewell.zygotes.push_back(kind.let_zygote_go());
  }
  if (unwanted && kind.nursery) {
    farewell.nurseries.push_back(std::move(kind.nursery));
  }
}

// Tenants that are set apart have kinds of their own: those that nobody wanted for the longest time go when there are
// too many, or when what waits for the latest ones takes more memory than all of it may.
void WarmPool::make_room(PoolClock::time_point now, Farewell& farewell) {
  while (kinds_.size() > 1) {
    const bool crowded = kinds_.size() > options_.most_kinds;
    const bool too_large = memory_used() > options_.memory_budget_bytes;
    if (!crowded && !too_large) {
      return;
    }
    auto oldest = kinds_.end();
    for (auto each = kinds_.begin(); each != kinds_.end(); ++each) {
      const bool may_go = each->second.at_rest() && (crowded || now - each->second.last_used > kFreshDemand);
      if (may_go && (oldest == kinds_.end() || each->second.last_used < oldest->second.last_used)) {
        oldest = each;
      }
    }
    if (oldest == kinds_.end()) {
      return;
    }
    give_up(oldest->second, farewell);
    kinds_.erase(oldest);
  }
}

void WarmPool::give_up(WarmKindState& kind, Farewell& farewell) {
  for (WarmCell& cell : kind.idle) {
    spent_.push_back(remains_of(std::move(cell)));
    ++kind.metrics.discarded;
  }
  kind.idle.clear();
  if (kind.zygote) {
    farewell.zygotes.push_back(kind.let_zygote_go());
  }
  if (kind.nursery) {
    farewell.nurseries.push_back(std::move(kind.nursery));
  }
  PoolKindMetrics past = kind.metrics;
  past.private_bytes = 0;
  past_[kind.name].add(past);
}

}  // namespace glovebox::engine
