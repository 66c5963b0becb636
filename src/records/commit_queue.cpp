#include "records/commit_queue.h"

#include <algorithm>
#include <exception>

#include "base/cleanup.h"

namespace glovebox::records {
namespace {

using base::ErrorCode;
using base::fail;
using base::Status;

// Bounds how long the first of a batch waits for the last.
constexpr std::size_t kMaxBatch = 128;

// The leader must come back, whatever a write does.
Status run_write(const CommitQueue::Write& write, Transaction& transaction) {
  try {
    return write(transaction);
  } catch (const std::exception& exception) {
    return fail(ErrorCode::internal_error, std::string("a record could not be written: ") + exception.what());
  }
}

}  // namespace

Status CommitQueue::commit(Write write) {
  auto entry = std::make_shared<Entry>();
  entry->write_ = std::move(write);
  return wait_for(entry);
}

Status CommitQueue::alone(const std::function<Status(Database&)>& action) {
  auto entry = std::make_shared<Entry>();
  entry->write_ = [&](Transaction& transaction) { return action(transaction.database); };
  entry->outside_ = true;
  return wait_for(entry);
}

std::shared_ptr<CommitQueue::Entry> CommitQueue::post(Write write) {
  auto entry = std::make_shared<Entry>();
  entry->write_ = std::move(write);
  const std::lock_guard lock(mutex_);
  queue_.push_back(entry);
  return entry;
}

bool CommitQueue::withdraw(Entry& entry) {
  const std::lock_guard lock(mutex_);
  if (entry.state_ != Entry::State::queued) {
    return false;
  }
  entry.state_ = Entry::State::withdrawn;
  entry.write_ = nullptr;
  std::erase_if(queue_, [&](const auto& queued) { return queued.get() == &entry; });
  return true;
}

void CommitQueue::drain() {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) {
      return;
    }
  }
  // The queue is first in, first out: what came before this is committed with it.
  (void)commit([](Transaction&) { return Status(); });
}

Status CommitQueue::wait_for(const std::shared_ptr<Entry>& entry) {
  entry->has_waiter_ = true;
  std::unique_lock lock(mutex_);
  queue_.push_back(entry);
  while (entry->state_ != Entry::State::done) {
    if (has_leader_) {
      entry->wake_.wait(lock);
    } else {
      lead(lock);
    }
  }
  return entry->status_;
}

void CommitQueue::lead(std::unique_lock<std::mutex>& lock) {
  has_leader_ = true;
  const Batch batch = take_batch();
  lock.unlock();
  apply(batch);
  lock.lock();
  has_leader_ = false;
  for (const auto& entry : batch) {
    entry->state_ = Entry::State::done;
    entry->write_ = nullptr;
    entry->wake_.notify_one();
  }
  const auto next = std::find_if(queue_.begin(), queue_.end(), [](const auto& entry) { return entry->has_waiter_; });
  if (next != queue_.end()) {
    (*next)->wake_.notify_one();
  }
}

CommitQueue::Batch CommitQueue::take_batch() {
  const auto count = static_cast<std::ptrdiff_t>(std::min(queue_.size(), kMaxBatch));
  Batch batch(queue_.begin(), queue_.begin() + count);
  queue_.erase(queue_.begin(), queue_.begin() + count);
  for (const auto& entry : batch) {
    entry->state_ = Entry::State::taken;
  }
  return batch;
}

void CommitQueue::apply(const Batch& batch) {
  Batch inside;
  for (const auto& entry : batch) {
    if (!entry->outside_) {
      inside.push_back(entry);
    }
  }
  apply_inside(inside);
  for (const auto& entry : batch) {
    if (entry->outside_) {
      Transaction none(writer_);
      entry->status_ = run_write(entry->write_, none);
    }
  }
}

void CommitQueue::apply_inside(const Batch& batch) {
  if (batch.empty()) {
    return;
  }
  Status status = begin();
  // Somebody else holds the database: trying again for each would make everybody wait as often.
  const bool may_split = status && batch.size() > 1;
  if (status) {
    status = apply_together(batch);
  }
  for (const auto& entry : batch) {
    entry->status_ = status;
    if (!status && may_split) {
      entry->status_ = begin();
      if (entry->status_) {
        entry->status_ = apply_together({entry});
      }
    }
  }
}

Status CommitQueue::begin() {
  if (writer_.in_transaction()) {
    TRY_STATUS(writer_.execute("ROLLBACK"));
  }
  Statement statement = TRY(writer_.prepare("BEGIN IMMEDIATE"));
  return statement.run();
}

Status CommitQueue::apply_together(const Batch& batch) {
  base::Cleanup roll_back([&] {
    // SQLite has done it by itself after some errors.
    if (writer_.in_transaction()) {
      (void)writer_.execute("ROLLBACK");
    }
  });
  Transaction transaction(writer_);
  for (const auto& entry : batch) {
    TRY_STATUS(run_write(entry->write_, transaction));
  }
  Statement commit = TRY(writer_.prepare("COMMIT"));
  TRY_STATUS(commit.run());
  roll_back.release();
  if (transaction.audit.head()) {
    head_.advance(*transaction.audit.head());
  }
  return {};
}

}  // namespace glovebox::records
