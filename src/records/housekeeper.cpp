#include "records/housekeeper.h"

#include <algorithm>
#include <utility>

#include "records/account_rows.h"

namespace glovebox::records {
namespace {

using namespace std::chrono_literals;

constexpr auto kStartDelay = 3ms;
constexpr auto kUseDelay = 1s;
constexpr int kCheckpointPages = 1000;
// Commits that never pause keep the log from starting over; past this they are held up for a moment.
constexpr int kTooManyPages = 16'000;

}  // namespace

Housekeeper::Housekeeper(CommitQueue& queue, Database checkpointer)
    : queue_(queue), checkpointer_(std::move(checkpointer)), checkpoint_at_(kCheckpointPages) {
  thread_ = std::thread([this] { work(); });
}

Housekeeper::~Housekeeper() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Housekeeper::start_posted() {
  {
    const std::lock_guard lock(mutex_);
    if (starts_due_) {
      return;
    }
    starts_due_ = Clock::now() + kStartDelay;
  }
  wake_.notify_one();
}

void Housekeeper::key_used(std::string_view id, std::int64_t used_ms) {
  {
    const std::lock_guard lock(mutex_);
    std::int64_t& last = uses_[std::string(id)];
    last = std::max(last, used_ms);
    if (uses_due_) {
      return;
    }
    uses_due_ = Clock::now() + kUseDelay;
  }
  wake_.notify_one();
}

void Housekeeper::log_has(int pages) {
  log_pages_ = pages;
  if (pages < kCheckpointPages) {
    checkpoint_at_ = kCheckpointPages;
    return;
  }
  if (pages < checkpoint_at_) {
    return;
  }
  checkpoint_at_ = pages + kCheckpointPages;
  {
    const std::lock_guard lock(mutex_);
    wants_checkpoint_ = true;
  }
  wake_.notify_one();
}

Housekeeper::Clock::time_point Housekeeper::next_deadline() const {
  const auto never = Clock::now() + 1h;
  return std::min(starts_due_.value_or(never), uses_due_.value_or(never));
}

void Housekeeper::work() {
  std::unique_lock lock(mutex_);
  bool is_last = false;
  while (!is_last) {
    if (!is_ending_ && !wants_checkpoint_) {
      wake_.wait_until(lock, next_deadline());
    }
    is_last = is_ending_;
    const auto now = Clock::now();
    const bool drains = starts_due_ && (is_last || *starts_due_ <= now);
    const bool checkpoints = std::exchange(wants_checkpoint_, false) && !is_last;
    std::map<std::string, std::int64_t> uses;
    if (drains) {
      starts_due_.reset();
    }
    if (uses_due_ && (is_last || *uses_due_ <= now)) {
      uses_due_.reset();
      uses = std::exchange(uses_, {});
    }
    lock.unlock();
    if (drains) {
      queue_.drain();
    }
    if (!uses.empty()) {
      write_key_uses(std::move(uses));
    }
    if (checkpoints) {
      checkpoint();
    }
    lock.lock();
  }
}

// Nobody is there to be told of a failure: the next use writes it again.
void Housekeeper::write_key_uses(std::map<std::string, std::int64_t> uses) {
  (void)queue_.commit([&](Transaction& transaction) -> base::Status {
    for (const auto& [id, used_ms] : uses) {
      TRY_STATUS(mark_key_used(transaction.database, id, used_ms));
    }
    return {};
  });
}

// A failure leaves a longer log; the next thousand pages try again.
void Housekeeper::checkpoint() {
  (void)checkpointer_.checkpoint();
  if (log_pages_ > kTooManyPages) {
    (void)queue_.alone([](Database& writer) { return writer.checkpoint(); });
  }
}

}  // namespace glovebox::records
