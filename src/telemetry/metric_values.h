// A counter, a gauge, a histogram: one series each, updated by any thread without a lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace glovebox::telemetry {

class Counter {
 public:
  // What is negative or not a number is ignored: a counter only grows.
  void add(double amount = 1) {
    if (amount > 0) {
      value_.fetch_add(amount, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void add(double amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  [[nodiscard]] double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

struct HistogramValue {
  std::vector<double> bounds;          // upper, ascending; +Inf is not among them
  std::vector<std::uint64_t> buckets;  // per bound, and one more for what is above all of them; not cumulative
  double sum = 0;

  bool operator==(const HistogramValue&) const = default;
};

class Histogram {
 public:
  // `bounds` ascend and outlive the histogram.
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds), buckets_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds.size() + 1)) {}

  // What is not a number is ignored: it would make the sum useless for good.
  void observe(double value) {
    if (value != value) {
      return;
    }
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    buckets_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }

  // The count is the sum of the buckets, so that the two always agree; `sum` may be an observation ahead or behind.
  [[nodiscard]] HistogramValue value() const {
    HistogramValue value;
    value.bounds.assign(bounds_.begin(), bounds_.end());
    for (std::size_t index = 0; index <= bounds_.size(); ++index) {
      value.buckets.push_back(buckets_[index].load(std::memory_order_relaxed));
    }
    value.sum = sum_.load(std::memory_order_relaxed);
    return value;
  }

 private:
  std::span<const double> bounds_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> buckets_;
  std::atomic<double> sum_ = 0;
};

}  // namespace glovebox::telemetry
