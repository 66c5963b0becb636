// One execution for many who want the same at the same time (K1, K3).
//
//   Flights::Seat seat = flights.join(key);
//   if (!seat.leads()) { seat.wait(token); … look whether the leader's answer serves, else go without a seat … }
//
// The first one leads. The others wait until the leader's seat is gone, which is when its answer, if it can be shared,
// is where they will look for it.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace glovebox::runner {

class Flights {
 public:
  class Seat {
   public:
    Seat() = default;
    Seat(Seat&& other) noexcept = default;
    Seat& operator=(Seat&& other) noexcept = default;
    ~Seat() {
      if (leads_ && flight_ != nullptr) {
        owner_->land(key_, *flight_);
      }
    }
    [[nodiscard]] bool leads() const { return leads_; }
    void wait() const {
      std::unique_lock lock(owner_->mutex_);
      owner_->landed_.wait(lock, [this] { return flight_->landed; });
    }

   private:
    friend class Flights;
    struct Flight {
      bool landed = false;
    };
    Flights* owner_ = nullptr;
    std::string key_;
    std::shared_ptr<Flight> flight_;
    bool leads_ = false;
  };

  [[nodiscard]] Seat join(const std::string& key) {
    const std::lock_guard lock(mutex_);
    Seat seat;
    seat.owner_ = this;
    seat.key_ = key;
    auto& flight = flights_[key];
    if (flight == nullptr) {
      flight = std::make_shared<Seat::Flight>();
      seat.leads_ = true;
    }
    seat.flight_ = flight;
    return seat;
  }

 private:
  void land(const std::string& key, Seat::Flight& flight) {
    const std::lock_guard lock(mutex_);
    flight.landed = true;
    flights_.erase(key);
    landed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable landed_;
  std::map<std::string, std::shared_ptr<Seat::Flight>> flights_;
};

}  // namespace glovebox::runner
