// SVG: well-formed XML with an svg element around everything. Namespaces are not resolved: the root's name decides.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf8.h"
#include "verification/file_format.h"
#include "verification/refusal.h"
#include "verification/xml_reader.h"

namespace glovebox::verification {
namespace {

using base::Result;

// "640", "640px", "480pt" (at 96 pixels per inch); percentages and other units tell no size.
std::optional<double> length_of(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (problem != std::errc() || !std::isfinite(number) || number < 0 || number > 1e9) {
    return std::nullopt;
  }
  if (unit.empty() || unit == "px") {
    return number;
  }
  return unit == "pt" ? std::optional(number * 96 / 72) : std::nullopt;
}

// The third and fourth number of "0 0 640 480".
std::vector<double> view_box(std::string_view text) {
  std::vector<double> numbers;
  while (numbers.size() < 4) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,\t\n\r"), text.size()));
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || !std::isfinite(number) || std::abs(number) > 1e9) {
      return {};
    }
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return numbers;
}

}  // namespace

Result<FileFacts> read_svg(std::string_view bytes, WorkBudget& budget) {
  TRY(read_text(bytes, budget));
  const XmlElement element = TRY(read_xml(bytes, budget));
  const std::string_view root = element.name;
  if (root != "svg" && !root.ends_with(":svg")) {
    return refuse(fmt::format("the root element is <{}>, not <svg>", base::printable(root, 60)));
  }
  std::optional<double> width;
  std::optional<double> height;
  std::vector<double> box;
  for (const XmlAttribute& attribute : element.attributes) {
    if (attribute.name == "width") {
      width = length_of(attribute.value);
    } else if (attribute.name == "height") {
      height = length_of(attribute.value);
    } else if (attribute.name == "viewBox") {
      box = view_box(attribute.value);
    }
  }
  if ((!width || !height) && box.size() == 4 && box[2] >= 0 && box[3] >= 0) {
    width = width ? width : std::optional(box[2]);
    height = height ? height : std::optional(box[3]);
  }
  FileFacts facts;
  if (width && height) {
    facts.width = static_cast<std::uint64_t>(std::llround(*width));
    facts.height = static_cast<std::uint64_t>(std::llround(*height));
  }
  return facts;
}

}  // namespace glovebox::verification
