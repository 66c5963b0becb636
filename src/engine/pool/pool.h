// Warm cells, kept ready within a memory budget.
//
// take() gives a cell that waited, or makes the caller wait a bounded time in a bounded line, or gives nothing: then
// the run is built cold. Makers refill off the request path. Each cell is used once; give_back() takes what is left of
// it, and its control groups serve again if nothing unusual happened to them.
//
// A run that is alone and leaves a cell behind for the next one has the machine to itself: makers begin when its answer
// has gone out, or on a machine with two cores half of them would work against it. As soon as a second run comes or the
// last cell is taken, they begin at once.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "contract/run_request.h"
#include "engine/pool/pool_metrics.h"
#include "engine/pool/pool_options.h"
#include "engine/pool/warm_cell.h"
#include "engine/pool/warm_kind.h"

namespace glovebox::engine {

struct PoolHost {
  LauncherClient& launcher;
  const os::CgroupSite& site;
  const Image& image;
  const HostFacts& facts;
};

class WarmPool {
 public:
  WarmPool(PoolOptions options, PoolHost host);
  // Ends all that waits and waits for the ends.
  ~WarmPool();
  WarmPool(const WarmPool&) = delete;
  WarmPool& operator=(const WarmPool&) = delete;

  [[nodiscard]] std::optional<WarmCell> take(const contract::RunRequest& request, const LanguageProfile& language,
                                             const std::string& tenant);
  void give_back(const std::string& kind, SpentCell remains);
  // Waits until so many cells that would serve this request are idle.
  [[nodiscard]] base::Status prepare(const contract::RunRequest& like, const LanguageProfile& language,
                                     const std::string& tenant, std::uint32_t cells,
                                     std::chrono::milliseconds patience);
  [[nodiscard]] PoolMetrics metrics() const;
  void note_fallback();

 private:
  using Lock = std::unique_lock<std::mutex>;

  WarmKindState& kind_of(const LanguageProfile& language, std::size_t set, const std::string& tenant);
  std::optional<WarmCell> pop_healthy(WarmKindState& kind);
  [[nodiscard]] bool is_calm(const WarmKindState& kind, std::uint32_t runs) const;
  std::optional<WarmCell> wait_in_line(Lock& lock, WarmKindState& kind);

  void maker();
  [[nodiscard]] WarmKindState* next_to_serve(PoolClock::time_point now);
  [[nodiscard]] bool is_affordable(const WarmKindState& kind) const;
  void set_up(Lock& lock, WarmKindState& kind);
  void make_one(Lock& lock, WarmKindState& kind);
  void tidy(Lock& lock);
  // What ends may take its time, and does so outside of the lock.
  struct Farewell {
    std::vector<std::shared_ptr<Zygote>> zygotes;  // end before their nurseries
    std::vector<std::shared_ptr<Nursery>> nurseries;
    std::vector<os::CellCgroup> groups;
  };
  void retire(Lock& lock, PoolClock::time_point now);
  void retire_kind(WarmKindState& kind, PoolClock::time_point now, Farewell& farewell);
  void spare_fewer_groups(PoolClock::time_point now, Farewell& farewell);
  void make_room(PoolClock::time_point now, Farewell& farewell);
  void give_up(WarmKindState& kind, Farewell& farewell);
  static void call_all(WarmKindState& kind);
  [[nodiscard]] base::Result<os::CellCgroup> cgroup_for_cell(Lock& lock);
  [[nodiscard]] std::uint64_t memory_used() const;

  [[nodiscard]] base::Status find_site();
  [[nodiscard]] const os::CgroupSite& site() const { return delegated_ ? delegated_->site() : host_.site; }

  PoolOptions options_;
  PoolHost host_;
  std::optional<os::DelegatedSite> delegated_;  // made with the first nursery
  mutable std::mutex mutex_;
  std::condition_variable work_;   // for makers
  std::condition_variable cells_;  // for those who wait until cells are idle
  bool stopping_ = false;
  base::Fd stop_;                       // readable then, for those who wait for a descriptor
  PoolClock::time_point rest_until_{};  // makers leave the machine to an answer that is on its way
  std::map<std::string, WarmKindState> kinds_;
  std::map<std::string, std::weak_ptr<Nursery>> nurseries_;  // by tenant and language
  std::map<std::string, PoolKindMetrics> past_;              // of kinds that made room for others
  std::deque<SpentCell> spent_;
  std::vector<os::CellCgroup> groups_;  // emptied, to be used again
  std::size_t least_spare_groups_ = 0;  // of late: so many are not needed
  PoolClock::time_point groups_counted_{};
  std::uint64_t fallbacks_ = 0;
  std::vector<std::thread> makers_;
};

}  // namespace glovebox::engine
