// Runs as they begin and end.
//
// A run that has begun is kept in memory until it ends: finish() needs its parts for the record's digest, and a run
// that ends before its start was written is written once, whole, instead of twice.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "records/commit_queue.h"
#include "records/contents.h"
#include "records/readers.h"
#include "records/run_record.h"
#include "records/run_rows.h"
#include "records/usage_rows.h"

namespace glovebox::records {

// Whether a run belongs to the one service of the directory, which alone may later call it interrupted.
enum class Origin { service, other };

class RunJournal {
 public:
  RunJournal(CommitQueue& queue, Readers& readers, const Contents& contents)
      : queue_(queue), readers_(readers), contents_(contents) {}

  // Posted to the queue; somebody has to drain it.
  [[nodiscard]] base::Status begin(RunStart start, Origin origin);
  [[nodiscard]] base::Status finish(RunEnd end);
  [[nodiscard]] base::Status record(RunStart start, RunEnd end, Origin origin);
  [[nodiscard]] base::Result<std::uint64_t> mark_interrupted(std::int64_t now_ms);

 private:
  struct Started {
    RunRow row;
    std::vector<Content> contents;
    Digest digest;
    std::shared_ptr<CommitQueue::Entry> posted;
    std::int64_t saved_number = 0;  // for writes alone: the leader sets it while others read the rest
  };
  struct Ended {
    RunRow row;
    std::vector<Content> contents;
    RunBytes bytes;
    AuditEvent event;
  };

  [[nodiscard]] base::Result<std::shared_ptr<Started>> prepare(RunStart start, Origin origin);
  [[nodiscard]] base::Result<Ended> prepare(const Started& started, RunEnd end);
  [[nodiscard]] base::Status commit(Started& started, RunEnd end);
  [[nodiscard]] base::Status save(Transaction& transaction, Started& started) const;
  [[nodiscard]] base::Status save(Transaction& transaction, Started& started, Ended& ended) const;

  CommitQueue& queue_;
  Readers& readers_;
  const Contents& contents_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Started>> running_;
};

}  // namespace glovebox::records
