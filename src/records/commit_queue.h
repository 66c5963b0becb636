// Group commit. Every write of a store goes through one connection and this queue.
//
// commit() queues a write and returns when it is on disk or has failed. The first caller that finds nobody at work
// becomes the leader: it takes everything that is queued, applies it in one transaction, wakes the others, and one of
// those that came meanwhile leads next. So a lone caller pays for one small transaction and no thread switch, and under
// load the cost of a commit is shared.
//
// A write that fails must not take others with it: the transaction is rolled back and each write gets one of its own.
// Writes may therefore be called twice, and must set what they give back, not add to it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "records/audit_chain.h"
#include "records/sqlite.h"

namespace glovebox::records {

struct Transaction {
  explicit Transaction(Database& connection) : database(connection), audit(connection) {}
  Database& database;
  AuditChain audit;
};

class CommitQueue {
 public:
  using Write = std::function<base::Status(Transaction&)>;

  class Entry {
   public:
    // Only inside a later write, or after it: the answer changes with the commit.
    [[nodiscard]] bool committed() const { return state_ == State::done && status_.has_value(); }

   private:
    friend class CommitQueue;
    enum class State { queued, taken, done, withdrawn };
    Write write_;
    bool has_waiter_ = false;
    bool outside_ = false;  // of any transaction
    State state_ = State::queued;
    base::Status status_;
    std::condition_variable wake_;
  };

  CommitQueue(Database writer, AuditHead head) : writer_(std::move(writer)), head_(std::move(head)) {}

  [[nodiscard]] base::Status commit(Write write);
  // The same for a write that gives something back.
  template <typename Make>
  [[nodiscard]] auto commit_value(Make make) -> std::invoke_result_t<Make, Transaction&> {
    std::invoke_result_t<Make, Transaction&> value = base::fail(base::ErrorCode::internal_error, "not written");
    const base::Status status = commit([&](Transaction& transaction) -> base::Status {
      value = make(transaction);
      return value ? base::Status() : base::fail(value.error());
    });
    if (!status) {
      return base::fail(status.error());
    }
    return value;
  }
  // Queues without waiting. Somebody's commit() takes it along; drain() makes sure of it.
  [[nodiscard]] std::shared_ptr<Entry> post(Write write);
  // Takes a posted write back. False: somebody has taken it already.
  [[nodiscard]] bool withdraw(Entry& entry);
  void drain();
  // Runs with the connection while no transaction is open and none can begin.
  [[nodiscard]] base::Status alone(const std::function<base::Status(Database&)>& action);

 private:
  using Batch = std::vector<std::shared_ptr<Entry>>;

  [[nodiscard]] base::Status wait_for(const std::shared_ptr<Entry>& entry);
  void lead(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Batch take_batch();
  void apply(const Batch& batch);
  void apply_inside(const Batch& batch);
  [[nodiscard]] base::Status begin();
  // Within the transaction that begin() opened; ends it.
  [[nodiscard]] base::Status apply_together(const Batch& batch);

  // Used by the leader alone.
  Database writer_;
  AuditHead head_;

  std::mutex mutex_;
  std::deque<std::shared_ptr<Entry>> queue_;
  bool has_leader_ = false;
};

}  // namespace glovebox::records
