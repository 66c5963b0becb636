#include "telemetry/registry.h"

#include <algorithm>

namespace glovebox::telemetry {
namespace {

constexpr std::size_t kMaxValueBytes = 128;
constexpr std::size_t kMaxScrapeSamples = 2'000;  // of one family of a source
constexpr std::string_view kOther = "other";

std::vector<std::string> names_of(std::initializer_list<LabelName> labels) {
  std::vector<std::string> names;
  for (const LabelName& label : labels) {
    names.emplace_back(label.view());
  }
  return names;
}

// Lengths go before the values: no value can pretend to be two.
void make_key(std::string& key, std::span<const std::string_view> values) {
  key.clear();
  for (const std::string_view value : values) {
    key += static_cast<char>(value.size());
    key += value;
  }
}
static_assert(kMaxValueBytes < 256);

}  // namespace

template <typename Metric>
Metric& Family<Metric>::with(std::span<const std::string_view> values) {
  constexpr std::size_t kMaxLabels = 8;
  std::array<std::string_view, kMaxLabels> bounded;
  const std::size_t count = std::min(info_.labels.size(), kMaxLabels);
  for (std::size_t index = 0; index < std::min(count, values.size()); ++index) {
    bounded[index] = values[index].substr(0, kMaxValueBytes);
  }
  const std::span<const std::string_view> complete(bounded.data(), count);
  thread_local std::string key;  // keeps its memory: this is on the path of every run
  make_key(key, complete);
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = series_.find(std::string_view(key)); found != series_.end()) {
      return *found->second.metric;
    }
    if (other_) {
      overflows_.fetch_add(1, std::memory_order_relaxed);
      return *other_;
    }
  }
  return add(key, complete);
}

template <typename Metric>
Metric& Family<Metric>::add(std::string_view key, std::span<const std::string_view> values) {
  const std::unique_lock lock(mutex_);
  if (const auto found = series_.find(key); found != series_.end()) {
    return *found->second.metric;
  }
  if (series_.size() >= info_.max_series) {
    overflows_.fetch_add(1, std::memory_order_relaxed);
    if (!other_) {
      other_ = make_();
    }
    return *other_;
  }
  Series series{{values.begin(), values.end()}, make_()};
  return *series_.emplace(std::string(key), std::move(series)).first->second.metric;
}

template <typename Metric>
FamilySnapshot Family<Metric>::snapshot() const {
  FamilySnapshot snapshot{info_.name, info_.help, MetricType::gauge, {}};
  if constexpr (std::is_same_v<Metric, Counter>) {
    snapshot.type = MetricType::counter;
  } else if constexpr (std::is_same_v<Metric, Histogram>) {
    snapshot.type = MetricType::histogram;
  }
  const auto add_sample = [&](const std::vector<std::string>& values, const Metric& metric) {
    Sample sample;
    for (std::size_t index = 0; index < values.size(); ++index) {
      sample.labels.emplace_back(info_.labels[index], values[index]);
    }
    sample.value = metric.value();
    snapshot.samples.push_back(std::move(sample));
  };
  const std::shared_lock lock(mutex_);
  for (const auto& [key, series] : series_) {
    add_sample(series.values, *series.metric);
  }
  if (other_) {
    // A stranger may have chosen "other" for every value; then that series is shown, and this one joins it.
    const std::vector<std::string> values(info_.labels.size(), std::string(kOther));
    const auto is_other = [&](const Sample& sample) {
      return std::all_of(sample.labels.begin(), sample.labels.end(),
                         [](const auto& label) { return label.second == kOther; });
    };
    const auto same = std::find_if(snapshot.samples.begin(), snapshot.samples.end(), is_other);
    if (same == snapshot.samples.end()) {
      add_sample(values, *other_);
    } else if constexpr (std::is_same_v<Metric, Histogram>) {
      auto& into = std::get<HistogramValue>(same->value);
      const HistogramValue more = other_->value();
      for (std::size_t index = 0; index < into.buckets.size(); ++index) {
        into.buckets[index] += more.buckets[index];
      }
      into.sum += more.sum;
    } else {
      std::get<double>(same->value) += other_->value();
    }
  }
  std::sort(snapshot.samples.begin(), snapshot.samples.end(),
            [](const Sample& left, const Sample& right) { return left.labels < right.labels; });
  return snapshot;
}

template class Family<Counter>;
template class Family<Gauge>;
template class Family<Histogram>;

void Scrape::counter(MetricName name, std::string_view help, Labels labels, double value) {
  add(name, help, MetricType::counter, std::move(labels), value);
}

void Scrape::gauge(MetricName name, std::string_view help, Labels labels, double value) {
  add(name, help, MetricType::gauge, std::move(labels), value);
}

void Scrape::add(MetricName name, std::string_view help, MetricType type, Labels labels, double value) {
  const auto has_name = [&](const FamilySnapshot& family) { return family.name == name.view(); };
  auto family = std::find_if(families_.begin(), families_.end(), has_name);
  if (family == families_.end()) {
    families_.push_back({std::string(name.view()), std::string(help), type, {}});
    family = families_.end() - 1;
  }
  for (auto& [label, text] : labels) {
    text.resize(std::min(text.size(), kMaxValueBytes));
  }
  const auto has_labels = [&](const Sample& sample) { return sample.labels == labels; };
  if (family->type == type && family->samples.size() < kMaxScrapeSamples &&
      std::none_of(family->samples.begin(), family->samples.end(), has_labels)) {
    family->samples.push_back({std::move(labels), value});
  }
}

Family<Counter>& Registry::counters(MetricName name, std::string help, std::initializer_list<LabelName> labels,
                                    std::size_t max_series) {
  FamilyInfo info{std::string(name.view()), std::move(help), names_of(labels), max_series};
  const std::lock_guard lock(mutex_);
  const auto make = [] { return std::make_unique<Counter>(); };
  return *counters_.emplace_back(std::make_unique<Family<Counter>>(std::move(info), make));
}

Family<Gauge>& Registry::gauges(MetricName name, std::string help, std::initializer_list<LabelName> labels,
                                std::size_t max_series) {
  FamilyInfo info{std::string(name.view()), std::move(help), names_of(labels), max_series};
  const std::lock_guard lock(mutex_);
  const auto make = [] { return std::make_unique<Gauge>(); };
  return *gauges_.emplace_back(std::make_unique<Family<Gauge>>(std::move(info), make));
}

Family<Histogram>& Registry::histograms(MetricName name, std::string help, std::vector<double> bounds,
                                        std::initializer_list<LabelName> labels, std::size_t max_series) {
  FamilyInfo info{std::string(name.view()), std::move(help), names_of(labels), max_series};
  const auto kept = std::make_shared<const std::vector<double>>(std::move(bounds));
  const std::lock_guard lock(mutex_);
  const auto make = [kept] { return std::make_unique<Histogram>(*kept); };
  return *histograms_.emplace_back(std::make_unique<Family<Histogram>>(std::move(info), make));
}

void Registry::add_source(std::function<void(Scrape&)> source) {
  const std::lock_guard lock(mutex_);
  sources_.push_back(std::move(source));
}

std::vector<FamilySnapshot> Registry::collect() const {
  const std::lock_guard lock(mutex_);
  std::vector<FamilySnapshot> families;
  const auto take = [&](const auto& kept) {
    for (const auto& family : kept) {
      families.push_back(family->snapshot());
    }
  };
  take(counters_);
  take(gauges_);
  take(histograms_);
  Scrape scrape;
  for (const auto& source : sources_) {
    source(scrape);
  }
  std::move(scrape.families_.begin(), scrape.families_.end(), std::back_inserter(families));
  const auto by_name = [](const FamilySnapshot& left, const FamilySnapshot& right) { return left.name < right.name; };
  std::stable_sort(families.begin(), families.end(), by_name);
  const auto same_name = [](const FamilySnapshot& left, const FamilySnapshot& right) {
    return left.name == right.name;
  };
  families.erase(std::unique(families.begin(), families.end(), same_name), families.end());
  return families;
}

}  // namespace glovebox::telemetry
