// For tests: a strict reader of what a scrape answers. Throws std::runtime_error at the first thing that is not right,
// with the line in it; rules of both formats, written from their specifications and not from our writer.
#pragma once

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "telemetry/exposition.h"
#include "telemetry/registry.h"

namespace glovebox::telemetry::testing {

struct ParsedSample {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};

struct ParsedFamily {
  std::string name;
  std::string type;
  std::string help;
  std::vector<ParsedSample> samples;

  // The value of the series with exactly these labels.
  [[nodiscard]] std::optional<double> value(const std::map<std::string, std::string>& labels = {},
                                            std::string_view suffix = "") const {
    for (const ParsedSample& sample : samples) {
      if (sample.labels == labels && sample.name.ends_with(suffix)) {
        return sample.value;
      }
    }
    return std::nullopt;
  }
};

class ExpositionParser {
 public:
  static std::map<std::string, ParsedFamily> parse(const std::string& text, ExpositionFormat format) {
    return ExpositionParser(format).run(text);
  }

 private:
  explicit ExpositionParser(ExpositionFormat format) : open_(format == ExpositionFormat::openmetrics) {}

  [[noreturn]] void fail(const std::string& why) const { throw std::runtime_error(why + ": " + line_); }
  void expect(bool condition, const std::string& why) const {
    if (!condition) {
      fail(why);
    }
  }

  std::map<std::string, ParsedFamily> run(const std::string& text) {
    if (!base::is_valid_utf8(text)) {
      throw std::runtime_error("not UTF-8");
    }
    if (!text.empty() && text.back() != '\n') {
      throw std::runtime_error("the last line has no end");
    }
    std::istringstream lines(text);
    bool ended = false;
    while (std::getline(lines, line_)) {
      expect(!ended, "a line after # EOF");
      expect(!line_.empty(), "an empty line");
      if (line_ == "# EOF") {
        expect(open_, "# EOF in the Prometheus format");
        ended = true;
      } else if (line_.front() == '#') {
        metadata();
      } else {
        sample();
      }
    }
    if (open_ && !ended) {
      throw std::runtime_error("no # EOF");
    }
    for (const auto& [name, family] : families_) {
      if (family.type == "histogram") {
        check_histogram(family);
      }
    }
    return std::move(families_);
  }

  void metadata() {
    std::istringstream words(line_);
    std::string hash;
    std::string keyword;
    std::string name;
    words >> hash >> keyword >> name;
    expect(hash == "#" && is_name(name), "a comment that is no metadata");
    std::string rest;
    std::getline(words, rest);
    expect(rest.starts_with(' '), "metadata without a value");
    rest.erase(0, 1);
    if (keyword == "HELP") {
      expect(!families_.contains(name), "a family that comes twice, or in two places");
      current_ = name;
      families_[name].name = name;
      families_[name].help = unescape(rest, open_ ? "\\n\"" : "\\n");
    } else if (keyword == "TYPE") {
      expect(name == current_ && families_[name].type.empty(), "TYPE of another family");
      expect(rest == "counter" || rest == "gauge" || rest == "histogram", "an unknown type");
      expect(!open_ || rest != "counter" || !name.ends_with("_total"), "a counter's family is named without _total");
      families_[name].type = rest;
    } else {
      fail("an unknown keyword");
    }
  }

  void sample() {
    ParsedSample parsed;
    std::size_t at = 0;
    while (at < line_.size() && line_[at] != '{' && line_[at] != ' ') {
      ++at;
    }
    parsed.name = line_.substr(0, at);
    expect(is_name(parsed.name), "not a name");
    if (at < line_.size() && line_[at] == '{') {
      at = labels(at + 1, parsed.labels);
    }
    expect(at < line_.size() && line_[at] == ' ', "no space before the value");
    parsed.value = number(line_.substr(at + 1));

    ParsedFamily& family = families_[current_];
    expect(!family.type.empty(), "a sample before TYPE");
    expect(belongs(parsed, family), "a sample of another family");
    std::string series = parsed.name;
    for (const auto& [name, value] : parsed.labels) {
      series += std::string("\0", 1) + name + std::string("\0", 1) + value;
    }
    expect(series_.insert(series).second, "a series that comes twice");
    if (family.type == "counter") {
      expect(parsed.value >= 0, "a counter below zero");
    }
    family.samples.push_back(std::move(parsed));
  }

  [[nodiscard]] bool belongs(const ParsedSample& sample, const ParsedFamily& family) const {
    if (family.type == "counter") {
      return sample.name == (open_ ? family.name + "_total" : family.name) && !sample.labels.contains("le");
    }
    if (family.type == "gauge") {
      return sample.name == family.name && !sample.labels.contains("le");
    }
    const bool bucket = sample.name == family.name + "_bucket";
    return bucket == sample.labels.contains("le") &&
           (bucket || sample.name == family.name + "_sum" || sample.name == family.name + "_count");
  }

  std::size_t labels(std::size_t at, std::map<std::string, std::string>& into) const {
    while (true) {
      std::string name;
      while (at < line_.size() && line_[at] != '=') {
        name += line_[at++];
      }
      expect(is_name(name) && name.find(':') == std::string::npos, "not a label's name");
      expect(line_.substr(at, 2) == "=\"", "no quote after the label's name");
      at += 2;
      std::string raw;
      while (at < line_.size() && line_[at] != '"') {
        if (line_[at] == '\\') {
          raw += line_[at++];
        }
        expect(at < line_.size(), "an escape without its letter");
        raw += line_[at++];
      }
      expect(at < line_.size(), "a quote that is not closed");
      ++at;
      expect(into.emplace(name, unescape(raw, "\\n\"")).second, "a label that comes twice");
      if (at < line_.size() && line_[at] == '}') {
        return at + 1;
      }
      expect(at < line_.size() && line_[at] == ',', "no comma between labels");
      ++at;
    }
  }

  [[nodiscard]] std::string unescape(std::string_view raw, std::string_view allowed) const {
    std::string text;
    for (std::size_t index = 0; index < raw.size(); ++index) {
      if (raw[index] != '\\') {
        text += raw[index];
        continue;
      }
      ++index;
      expect(index < raw.size() && allowed.find(raw[index]) != std::string_view::npos, "an unknown escape");
      text += raw[index] == 'n' ? '\n' : raw[index];
    }
    return text;
  }

  [[nodiscard]] double number(const std::string& text) const {
    if (text == "+Inf") {
      return HUGE_VAL;
    }
    if (text == "-Inf") {
      return -HUGE_VAL;
    }
    if (text == "NaN") {
      return NAN;
    }
    expect(!text.empty() && text.find_first_not_of("0123456789+-.e") == std::string::npos, "not a number");
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    expect(*end == '\0', "something after the number");
    return value;
  }

  static bool is_name(std::string_view name) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:";
    return !name.empty() && kLetters.find(name.front()) != std::string_view::npos &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:0123456789") ==
               std::string_view::npos;
  }

  // Per set of labels: bounds ascend, counts never fall, the last bound is +Inf and equals the count.
  void check_histogram(const ParsedFamily& family) const {
    struct Seen {
      double bound = -HUGE_VAL;
      double count = 0;
      std::optional<double> total;
      bool sum = false;
    };
    std::map<std::map<std::string, std::string>, Seen> series;
    for (const ParsedSample& sample : family.samples) {
      auto rest = sample.labels;
      rest.erase("le");
      Seen& seen = series[rest];
      if (sample.name.ends_with("_bucket")) {
        const std::string& text = sample.labels.at("le");
        const double bound = number(text);
        if (bound <= seen.bound || sample.value < seen.count ||
            (open_ && text.find_first_of(".e+") == std::string::npos)) {
          throw std::runtime_error("buckets out of order in " + family.name);
        }
        seen.bound = bound;
        seen.count = sample.value;
      } else if (sample.name.ends_with("_count")) {
        seen.total = sample.value;
      } else {
        seen.sum = true;
      }
    }
    for (const auto& [labels, seen] : series) {
      if (!std::isinf(seen.bound) || seen.total != seen.count || !seen.sum) {
        throw std::runtime_error("an incomplete histogram: " + family.name);
      }
    }
  }

  bool open_;
  std::string line_;
  std::string current_;
  std::map<std::string, ParsedFamily> families_;
  std::set<std::string> series_;
};

inline std::map<std::string, ParsedFamily> parse_exposition(const std::string& text,
                                                            ExpositionFormat format = ExpositionFormat::prometheus) {
  return ExpositionParser::parse(text, format);
}

inline std::map<std::string, ParsedFamily> scrape(const Registry& registry) {
  return parse_exposition(registry.render(ExpositionFormat::prometheus));
}

}  // namespace glovebox::telemetry::testing
