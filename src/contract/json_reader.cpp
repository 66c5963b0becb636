#include "contract/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf8.h"
#include "contract/json_kind.h"

namespace glovebox::contract {
namespace {

using base::Error;
using base::Result;
using Kind = JsonValue::Kind;

constexpr std::size_t kShownBytes = 60;

std::optional<double> to_double(std::string_view token) {
  double number = 0;
  const auto [end, problem] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (problem != std::errc() || end != token.data() + token.size()) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::uint64_t> to_whole(const JsonValue& value) {
  const std::string_view token = value.text;
  if (value.kind == Kind::integer) {
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(token.data(), token.data() + token.size(), number);
    if (problem != std::errc() || end != token.data() + token.size()) {
      return std::nullopt;
    }
    return number;
  }
  constexpr double kExact = 9007199254740992.0;  // 2^53: up to here a double is the number that was written
  const std::optional<double> number = to_double(token);
  if (!number || *number < 0 || *number > kExact || std::trunc(*number) != *number) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*number);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& letter : out) {
    if (letter >= 'A' && letter <= 'Z') {
      letter = static_cast<char>(letter - 'A' + 'a');
    }
  }
  return out;
}

// Edits between two short names: insert, delete, replace, or swap two neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t same = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + same});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string_view last_step(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == path.npos ? path : path.substr(dot + 1);
}

}  // namespace

std::optional<std::string_view> closest_name(std::string_view given, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 64;
  if (given.empty() || given.size() > kLongest) {
    return std::nullopt;
  }
  const std::string wanted = lower(given);
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, last_step(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string list_names(std::span<const std::string_view> names) { return fmt::format("{}", fmt::join(names, ", ")); }

Error JsonNode::error(std::string message) const {
  return base::make_error(base::ErrorCode::invalid_request, std::move(message)).with_field(path_);
}

Error JsonNode::wrong_type(std::string_view expected) const {
  return error(fmt::format("expected {}, found {}", expected, kind_name(value_->kind)));
}

Result<std::string> JsonNode::take_string() const {
  if (value_->kind != Kind::string) {
    return base::fail(wrong_type("a string"));
  }
  return std::move(value_->text);
}

Result<std::string> JsonNode::take_string_or_null() const {
  if (is_null()) {
    return std::string();
  }
  if (value_->kind != Kind::string) {
    return base::fail(wrong_type("a string or null"));
  }
  return std::move(value_->text);
}

Result<std::string> JsonNode::take_free_form() const {
  if (value_->kind != Kind::free_form) {
    return base::fail(wrong_type("a JSON value"));
  }
  return std::move(value_->text);
}

Result<bool> JsonNode::boolean() const {
  if (value_->kind != Kind::boolean) {
    return base::fail(wrong_type("true or false"));
  }
  return value_->text == "true";
}

Result<std::uint64_t> JsonNode::integer(std::uint64_t least, std::uint64_t most) const {
  if (value_->kind != Kind::integer && value_->kind != Kind::real) {
    return base::fail(wrong_type("a whole number"));
  }
  const std::optional<std::uint64_t> number = to_whole(*value_);
  if (!number || *number < least || *number > most) {
    return base::fail(error(fmt::format("expected a whole number from {} to {}, found {}", least, most,
                                        base::printable(value_->text, kShownBytes))));
  }
  return *number;
}

Result<double> JsonNode::non_negative_number() const {
  if (value_->kind != Kind::integer && value_->kind != Kind::real) {
    return base::fail(wrong_type("a number"));
  }
  const std::optional<double> number = to_double(value_->text);
  if (!number || *number < 0) {
    return base::fail(error(
        fmt::format("expected a number that is not negative, found {}", base::printable(value_->text, kShownBytes))));
  }
  return *number;
}

Result<std::vector<JsonNode>> JsonNode::elements(std::size_t max_count) const {
  if (value_->kind != Kind::array) {
    return base::fail(wrong_type("an array"));
  }
  if (value_->members.size() > max_count) {
    return base::fail(error(fmt::format("{} entries, at most {} are allowed", value_->members.size(), max_count)));
  }
  std::vector<JsonNode> nodes;
  nodes.reserve(value_->members.size());
  for (JsonMember& member : value_->members) {
    nodes.emplace_back(member.value, join_path(path_, nodes.size()));
  }
  return nodes;
}

Result<std::vector<std::string>> JsonNode::take_strings(std::size_t max_count) const {
  std::vector<std::string> strings;
  for (const JsonNode& node : TRY(elements(max_count))) {
    strings.push_back(TRY(node.take_string()));
  }
  return strings;
}

Result<std::vector<std::pair<std::string, JsonNode>>> JsonNode::entries(std::size_t max_count) const {
  if (value_->kind != Kind::object) {
    return base::fail(wrong_type("an object"));
  }
  if (value_->members.size() > max_count) {
    return base::fail(error(fmt::format("{} entries, at most {} are allowed", value_->members.size(), max_count)));
  }
  std::vector<std::pair<std::string, JsonNode>> nodes;
  nodes.reserve(value_->members.size());
  for (JsonMember& member : value_->members) {
    nodes.emplace_back(member.key, JsonNode(member.value, join_path(path_, member.key)));
  }
  return nodes;
}

Result<JsonObject> JsonNode::object(std::span<const std::string_view> known,
                                    std::span<const std::string_view> elsewhere) const {
  if (value_->kind != Kind::object) {
    return base::fail(wrong_type("an object"));
  }
  for (const JsonMember& member : value_->members) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) {
      continue;
    }
    std::optional<std::string_view> meant = closest_name(member.key, known);
    if (!meant) {
      meant = closest_name(member.key, elsewhere);
    }
    return base::fail(base::make_error(base::ErrorCode::invalid_request,
                                       fmt::format("unknown field \"{}\"", base::printable(member.key, kShownBytes)))
                          .with_field(join_path(path_, member.key))
                          .with_hint(meant ? fmt::format("did you mean \"{}\"?", *meant)
                                           : fmt::format("the fields here are {}", list_names(known))));
  }
  return JsonObject(*value_, path_);
}

std::optional<JsonNode> JsonObject::find(std::string_view name) const {
  for (JsonMember& member : value_->members) {
    if (member.key == name) {
      return JsonNode(member.value, join_path(path_, name));
    }
  }
  return std::nullopt;
}

Result<JsonNode> JsonObject::require(std::string_view name) const {
  std::optional<JsonNode> node = find(name);
  if (!node) {
    return base::fail(base::make_error(base::ErrorCode::invalid_request, fmt::format("\"{}\" is missing", name))
                          .with_field(join_path(path_, name)));
  }
  return *std::move(node);
}

}  // namespace glovebox::contract
