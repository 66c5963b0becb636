// The metrics of one process: families of counters, gauges and histograms, kept here, and others read when asked for.
//
// Code that counts holds a family, or one series of it, and adds to it: finding a series takes a shared lock and a
// hash, adding to it is one atomic addition. What somebody else counts already (the pool, the HTTP server, the kernel)
// is not counted again: a source is a function that is called for every scrape and puts its numbers into a Scrape.
//
// A label's value may come from a stranger, so a family has a bound on its series. Past it every new combination is
// counted in one series whose values are all "other": sums stay right, memory stays bounded.
//
// A registry outlives whoever holds its families. There is no global one.
#pragma once

#include <atomic>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "telemetry/exposition.h"
#include "telemetry/metric_values.h"

namespace glovebox::telemetry {

// Names are literals, and a bad one does not compile.
class MetricName {
 public:
  consteval MetricName(const char* text) : text_(text) {  // NOLINT(google-explicit-constructor): reads as a literal
    for (std::size_t index = 0; index < text_.size(); ++index) {
      const char letter = text_[index];
      const bool alphabetic = (letter >= 'a' && letter <= 'z') || letter == '_';
      if (!alphabetic && !(index > 0 && letter >= '0' && letter <= '9')) {
        throw "a name is lower-case letters, digits and underscores";
      }
    }
    if (text_.empty() || text_ == "le" || text_.starts_with("__")) {
      throw "a name that is reserved, or none";
    }
  }
  [[nodiscard]] constexpr std::string_view view() const { return text_; }

 private:
  std::string_view text_;
};
using LabelName = MetricName;

struct FamilyInfo {
  std::string name;
  std::string help;
  std::vector<std::string> labels;
  std::size_t max_series = 0;
};

// One name, one set of label names, many series.
template <typename Metric>
class Family {
 public:
  using Make = std::function<std::unique_ptr<Metric>()>;
  Family(FamilyInfo info, Make make) : info_(std::move(info)), make_(std::move(make)) {}

  // The series with these values, in the order of the label names; missing ones are "", ones too many are ignored.
  // The reference is good for as long as the family; keep it where the values are known beforehand.
  [[nodiscard]] Metric& with(std::initializer_list<std::string_view> values) {
    return with(std::span<const std::string_view>(values.begin(), values.size()));
  }
  [[nodiscard]] Metric& with(std::span<const std::string_view> values);
  [[nodiscard]] Metric& only() { return with(std::span<const std::string_view>()); }

  [[nodiscard]] const FamilyInfo& info() const { return info_; }
  // How often a combination was counted under "other" since there were too many.
  [[nodiscard]] std::uint64_t overflows() const { return overflows_.load(std::memory_order_relaxed); }
  [[nodiscard]] FamilySnapshot snapshot() const;

 private:
  struct Series {
    std::vector<std::string> values;
    std::unique_ptr<Metric> metric;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  [[nodiscard]] Metric& add(std::string_view key, std::span<const std::string_view> values);

  const FamilyInfo info_;
  const Make make_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, Series, Hash, std::equal_to<>> series_;  // by values, each with its length before it
  std::unique_ptr<Metric> other_;                                          // once there are too many
  std::atomic<std::uint64_t> overflows_ = 0;
};

// What a source fills in. Samples of one family may come in any order; a series that was there already is left out.
class Scrape {
 public:
  void counter(MetricName name, std::string_view help, Labels labels, double value);
  void gauge(MetricName name, std::string_view help, Labels labels, double value);

 private:
  friend class Registry;
  void add(MetricName name, std::string_view help, MetricType type, Labels labels, double value);
  std::vector<FamilySnapshot> families_;
};

class Registry {
 public:
  static constexpr std::size_t kMaxSeries = 2'000;

  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // The name of a counter ends in "_total". A name is made once: of families with the same name only the first is
  // shown.
  [[nodiscard]] Family<Counter>& counters(MetricName name, std::string help,
                                          std::initializer_list<LabelName> labels = {},
                                          std::size_t max_series = kMaxSeries);
  [[nodiscard]] Family<Gauge>& gauges(MetricName name, std::string help, std::initializer_list<LabelName> labels = {},
                                      std::size_t max_series = kMaxSeries);
  // `bounds` ascend; +Inf is understood.
  [[nodiscard]] Family<Histogram>& histograms(MetricName name, std::string help, std::vector<double> bounds,
                                              std::initializer_list<LabelName> labels = {},
                                              std::size_t max_series = kMaxSeries);

  // Called for every scrape, one at a time, on the scraping thread. Must not block for long, nor scrape.
  void add_source(std::function<void(Scrape&)> source);

  // Everything, sorted by name.
  [[nodiscard]] std::vector<FamilySnapshot> collect() const;
  [[nodiscard]] std::string render(ExpositionFormat format) const { return write_exposition(collect(), format); }

 private:
  mutable std::mutex mutex_;  // guards the lists, not what is in them
  std::vector<std::unique_ptr<Family<Counter>>> counters_;
  std::vector<std::unique_ptr<Family<Gauge>>> gauges_;
  std::vector<std::unique_ptr<Family<Histogram>>> histograms_;
  std::vector<std::function<void(Scrape&)>> sources_;
};

}  // namespace glovebox::telemetry
