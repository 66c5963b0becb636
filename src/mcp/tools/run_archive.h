// Runs that can be looked at later: those of the service's records, or, where nothing is recorded, the last ones of
// this process. Of another tenant, or of another key for whoever may only run, unknown and forgotten look the same.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "mcp/host.h"
#include "records/run_record.h"
#include "runner/replay.h"
#include "runner/runner.h"

namespace glovebox::mcp {

class RunArchive {
 public:
  explicit RunArchive(runner::Runner& runner) : runner_(runner) {}

  // What has a record needs no second place; anything else is kept here for a while.
  void keep(const contract::RunRequest& request, const contract::RunResult& result);
  [[nodiscard]] base::Result<records::RunRecord> find(const std::string& run_id, const Host& host);
  [[nodiscard]] base::Result<records::StoredArtifact> artifact(const std::string& run_id, const std::string& path,
                                                               const Host& host);
  // Runs it again, on this thread.
  [[nodiscard]] base::Result<runner::ReplayReport> replay(const std::string& run_id, const Host& host,
                                                          const runner::ReplayOptions& options);

 private:
  struct Kept {
    contract::RunRequest request;
    contract::RunResult result;
    std::int64_t finished_ms = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] std::shared_ptr<const Kept> kept(const std::string& run_id);

  runner::Runner& runner_;
  std::mutex mutex_;
  std::list<std::shared_ptr<const Kept>> kept_;  // oldest first
  std::uint64_t bytes_ = 0;
};

}  // namespace glovebox::mcp
