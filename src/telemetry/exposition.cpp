#include "telemetry/exposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "base/utf8.h"
#include "server/http/message.h"

namespace glovebox::telemetry {
namespace {

constexpr std::string_view kTotal = "_total";

enum class Quotes { plain, escaped };

std::string escape(std::string_view bytes, Quotes quotes) {
  std::string text;
  for (const char letter : base::to_valid_utf8(bytes)) {
    if (letter == '\\') {
      text += "\\\\";
    } else if (letter == '\n') {
      text += "\\n";
    } else if (letter == '"' && quotes == Quotes::escaped) {
      text += "\\\"";
    } else {
      text += letter;
    }
  }
  return text;
}

std::string format_number(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "+Inf" : "-Inf";
  }
  constexpr double kExact = 9007199254740992.0;  // every whole number up to here is a double
  if (value == std::floor(value) && std::abs(value) <= kExact) {
    return fmt::format("{}", static_cast<std::int64_t>(value));
  }
  return fmt::format("{}", value);
}

// OpenMetrics wants bounds to look like floats, so that 1 and 1.0 are not two series.
std::string format_bound(double bound, ExpositionFormat format) {
  std::string text = format_number(bound);
  if (format == ExpositionFormat::openmetrics && text.find_first_of(".eIN") == std::string::npos) {
    text += ".0";
  }
  return text;
}

class Writer {
 public:
  explicit Writer(ExpositionFormat format) : format_(format) {}

  void family(const FamilySnapshot& family) {
    const bool open = format_ == ExpositionFormat::openmetrics;
    std::string_view base = family.name;
    std::string sample_name = family.name;
    if (family.type == MetricType::counter && open) {
      if (base.ends_with(kTotal)) {
        base.remove_suffix(kTotal.size());
      } else {
        sample_name += kTotal;
      }
    }
    text_ += fmt::format("# HELP {} {}\n", base, escape(family.help, open ? Quotes::escaped : Quotes::plain));
    text_ += fmt::format("# TYPE {} {}\n", base, type_name(family.type));
    for (const Sample& sample : family.samples) {
      if (const auto* histogram = std::get_if<HistogramValue>(&sample.value)) {
        buckets(family.name, sample.labels, *histogram);
      } else {
        line(sample_name, format_labels(sample.labels), format_number(std::get<double>(sample.value)));
      }
    }
  }

  std::string take() {
    if (format_ == ExpositionFormat::openmetrics) {
      text_ += "# EOF\n";
    }
    return std::move(text_);
  }

 private:
  static std::string_view type_name(MetricType type) {
    switch (type) {
      case MetricType::counter:
        return "counter";
      case MetricType::gauge:
        return "gauge";
      case MetricType::histogram:
        return "histogram";
    }
    return "gauge";
  }

  static std::string format_labels(const Labels& labels) {
    std::string text;
    for (const auto& [name, value] : labels) {
      text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, escape(value, Quotes::escaped));
    }
    return text;
  }

  void line(std::string_view name, std::string_view labels, std::string_view value) {
    text_ += name;
    if (!labels.empty()) {
      text_ += fmt::format("{{{}}}", labels);
    }
    text_ += fmt::format(" {}\n", value);
  }

  void buckets(const std::string& name, const Labels& labels, const HistogramValue& histogram) {
    const std::string given = format_labels(labels);
    std::uint64_t count = 0;
    for (std::size_t index = 0; index < histogram.buckets.size(); ++index) {
      count += histogram.buckets[index];
      const bool last = index >= histogram.bounds.size();
      const std::string bound = last ? "+Inf" : format_bound(histogram.bounds[index], format_);
      line(name + "_bucket", fmt::format("{}{}le=\"{}\"", given, given.empty() ? "" : ",", bound),
           std::to_string(count));
    }
    line(name + "_sum", given, format_number(histogram.sum));
    line(name + "_count", given, std::to_string(count));
  }

  ExpositionFormat format_;
  std::string text_;
};

// Cuts the next part off `rest`.
std::string_view next_part(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = base::trim(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

struct MediaRange {
  std::string_view type;
  std::string_view version;
  double quality = 1;
};

MediaRange parse_range(std::string_view text) {
  MediaRange range;
  range.type = next_part(text, ';');
  while (!text.empty()) {
    std::string_view parameter = next_part(text, ';');
    const std::string_view name = next_part(parameter, '=');
    const std::string_view value = base::trim(parameter);
    if (http::equal_ignoring_case(name, "version")) {
      range.version = value;
    } else if (http::equal_ignoring_case(name, "q")) {
      double quality = 0;
      const auto parsed = std::from_chars(value.data(), value.data() + value.size(), quality);
      const bool good = parsed.ec == std::errc() && parsed.ptr == value.data() + value.size();
      range.quality = good && quality >= 0 && quality <= 1 ? quality : 0;
    }
  }
  return range;
}

}  // namespace

ExpositionFormat choose_format(std::string_view accept) {
  double open = 0;
  double plain = 0;
  while (!accept.empty()) {
    const MediaRange range = parse_range(next_part(accept, ','));
    const bool known_version = range.version.empty() || range.version == "1.0.0" || range.version == "\"1.0.0\"";
    if (http::equal_ignoring_case(range.type, "application/openmetrics-text") && known_version) {
      open = std::max(open, range.quality);
    } else if (http::equal_ignoring_case(range.type, "text/plain")) {
      plain = std::max(plain, range.quality);
    }
  }
  return open > 0 && open >= plain ? ExpositionFormat::openmetrics : ExpositionFormat::prometheus;
}

std::string_view content_type(ExpositionFormat format) {
  return format == ExpositionFormat::openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                                 : "text/plain; version=0.0.4; charset=utf-8";
}

std::string write_exposition(const std::vector<FamilySnapshot>& families, ExpositionFormat format) {
  Writer writer(format);
  for (const FamilySnapshot& family : families) {
    writer.family(family);
  }
  return writer.take();
}

}  // namespace glovebox::telemetry
