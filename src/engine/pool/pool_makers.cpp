// The other half of the pool: what happens while nobody waits.
#include <algorithm>

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
constexpr auto kTick = milliseconds(200);

double ms_since(PoolClock::time_point from) {
  return std::chrono::duration<double, std::milli>(PoolClock::now() - from).count();
}

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
      work_.wait_for(lock, kTick);
    } else if (!kind->ready()) {
      set_up(lock, *kind);
    } else {
      make_one(lock, *kind);
    }
  }
}

// The kind that lacks the most, first of all one that somebody waits for, as far as the budget reaches.
WarmKindState* WarmPool::next_to_serve(PoolClock::time_point now) {
  WarmKindState* best = nullptr;
  for (auto& [name, kind] : kinds_) {
    if (kind.missing() == 0 || kind.setting_up || now < kind.retry_at) {
      continue;
    }
    const bool affordable = kind.waiting > 0 || kind.idle.size() + kind.making < options_.least_idle ||
                            memory_used() + kind.metrics.private_bytes <= options_.memory_budget_bytes;
    if (affordable && (best == nullptr || kind.waiting > best->waiting ||
                       (kind.waiting == best->waiting && kind.missing() > best->missing()))) {
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
  kind.zygote.reset();
  std::shared_ptr<Nursery> nursery = nurseries_[kind.language->id].lock();
  if (nursery && !nursery->alive()) {
    nursery.reset();
  }
  const std::shared_ptr<const LanguageProfile> language = kind.language;
  base::Status done = find_site();
  lock.unlock();
  if (done && !nursery) {
    if (auto started = Nursery::start(host_.launcher, host_.image, *language, host_.facts, site()); started) {
      nursery = std::move(*started);
    } else {
      done = base::fail(std::move(started.error()));
    }
  }
  std::shared_ptr<Zygote> zygote;
  if (done && language->warm.kind == WarmKind::zygote) {
    if (auto started = Zygote::start(nursery, site(), *language, language->warm.sets[kind.set]); started) {
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
    return;
  }
  nurseries_[language->id] = nursery;
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
    lock.unlock();
    if (group.set_limits(waiting_limits())) {
      return group;
    }
  } else {
    lock.unlock();
  }
  return os::CellCgroup::create(site(), waiting_limits());
}

void WarmPool::make_one(Lock& lock, WarmKindState& kind) {
  ++kind.making;
  const auto started = PoolClock::now();
  const std::shared_ptr<Nursery> nursery = kind.nursery;
  const std::shared_ptr<Zygote> zygote = kind.zygote;
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
    kind.zygote.reset();  // in doubt
    cells_.notify_all();
    return;
  }
  kind.failures_in_a_row = 0;
  ++kind.metrics.made;
  kind.metrics.refill_ms_total += ms_since(started);
  kind.metrics.refill_cpu_ms_total += made->make_cpu_ms;
  if (kind.metrics.made % 64 == 1) {
    kind.metrics.private_bytes = made->cgroup.memory_bytes().value_or(0);
  }
  made->kind = kind.name;
  kind.idle.push_back(std::move(*made));
  cells_.notify_all();
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
  for (os::CellCgroup& group : renewed) {
    if (groups_.size() < kMostSpareGroups) {
      groups_.push_back(std::move(group));
    }
  }
}

// Zygotes that have served long enough, cells that waited too long, and cells that are too many.
void WarmPool::retire(Lock& lock, PoolClock::time_point now) {
  std::vector<std::shared_ptr<Zygote>> old;  // ends outside of the lock
  for (auto& [name, kind] : kinds_) {
    kind.forget(options_, now);
    while (!kind.idle.empty() &&
           (kind.idle.size() > kind.target || now - kind.idle.front().made_at > seconds(options_.idle_age_s))) {
      spent_.push_back(remains_of(std::move(kind.idle.front())));
      kind.idle.erase(kind.idle.begin());
      ++kind.metrics.discarded;
    }
    if (kind.zygote && (kind.zygote->children() >= options_.zygote_cells ||
                        now - kind.zygote->born() > seconds(options_.zygote_age_s) ||
                        (kind.target == 0 && kind.idle.empty() && kind.making == 0))) {
      old.push_back(std::move(kind.zygote));
      kind.zygote.reset();
    }
    if (kind.target == 0 && kind.idle.empty() && kind.making == 0 && !kind.setting_up) {
      kind.nursery.reset();
    }
  }
  if (!old.empty()) {
    lock.unlock();
    old.clear();
    lock.lock();
  }
}

}  // namespace glovebox::engine
