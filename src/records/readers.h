// Connections for reading, lent to one thread at a time and kept for the next.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "records/sqlite.h"

namespace glovebox::records {

class Readers {
 public:
  class Lease {
   public:
    Lease(Readers& owner, Database database) : owner_(&owner), database_(std::move(database)) {}
    Lease(Lease&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), database_(std::move(other.database_)) {}
    Lease& operator=(Lease&&) = delete;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      if (owner_ != nullptr) {
        owner_->give_back(std::move(database_));
      }
    }
    [[nodiscard]] Database& database() { return database_; }

   private:
    Readers* owner_;
    Database database_;
  };

  explicit Readers(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] base::Result<Lease> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        Lease lease(*this, std::move(idle_.back()));
        idle_.pop_back();
        return lease;
      }
    }
    return Lease(*this, TRY(Database::open(path_, Database::Access::read)));
  }

 private:
  static constexpr std::size_t kMaxIdle = 16;

  void give_back(Database database) {
    const std::lock_guard lock(mutex_);
    // One that stopped in the middle of a transaction would go on reading the past.
    if (idle_.size() < kMaxIdle && !database.in_transaction()) {
      idle_.push_back(std::move(database));
    }
  }

  std::string path_;
  std::mutex mutex_;
  std::vector<Database> idle_;
};

}  // namespace glovebox::records
