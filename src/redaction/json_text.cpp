#include "redaction/json_text.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "contract/json_parse.h"
#include "contract/json_writer.h"

namespace glovebox::redaction {
namespace {

// Walks compact JSON, which is known to be valid, and writes it anew with every string redacted as what it decodes to.
class JsonWalk {
 public:
  JsonWalk(const TextScan& scan, std::string_view json, Counts& counts) : scan_(scan), json_(json), counts_(counts) {}

  std::string run() {
    while (at_ < json_.size()) {
      const char letter = json_[at_];
      if (letter == '"') {
        string();
      } else if (std::string_view("{}[],:").find(letter) != std::string_view::npos) {
        bracket(letter);
      } else {
        scalar();
      }
    }
    return std::move(out_);
  }

 private:
  struct Level {
    bool object = false;
    bool key_next = false;
    std::string key;             // as it was, for the rules about names
    std::set<std::string> keys;  // as written: two redacted ones must not become the same
  };

  void bracket(char letter) {
    if (letter == '{' || letter == '[') {
      levels_.push_back({letter == '{', letter == '{', {}, {}});
    } else if (letter == '}' || letter == ']') {
      levels_.pop_back();
    } else if (!levels_.empty()) {
      levels_.back().key_next = letter == ',' && levels_.back().object;
    }
    out_ += letter;
    ++at_;
  }

  void string() {
    std::size_t end = at_ + 1;
    while (json_[end] != '"') {
      end += json_[end] == '\\' ? 2 : 1;
    }
    const std::string_view literal = json_.substr(at_, end + 1 - at_);
    at_ = end + 1;
    const std::string value = decode(literal);
    if (!levels_.empty() && levels_.back().key_next) {
      key(literal, value);
      return;
    }
    const bool named = !levels_.empty() && levels_.back().object;
    const auto redacted = named ? scan_.redact_named(levels_.back().key, value, counts_) : scan_.redact(value, counts_);
    out_ += redacted ? contract::quote_json(*redacted) : std::string(literal);
  }

  void key(std::string_view literal, const std::string& name) {
    Level& level = levels_.back();
    level.key = name;
    const auto redacted = scan_.redact(name, counts_);
    std::string written = redacted ? contract::quote_json(*redacted) : std::string(literal);
    for (std::size_t number = 2; !level.keys.insert(written).second; ++number) {
      written = contract::quote_json(fmt::format("{}_{}", redacted.value_or(name), number));
    }
    out_ += written;
  }

  void scalar() {
    const std::size_t end = std::min(json_.size(), json_.find_first_of(",]}", at_));
    const std::string_view token = json_.substr(at_, end - at_);
    at_ = end;
    const auto redacted = scan_.redact(token, counts_);
    out_ += redacted ? contract::quote_json(*redacted) : std::string(token);
  }

  static std::string decode(std::string_view literal) {
    if (literal.find('\\') == std::string_view::npos) {
      return std::string(literal.substr(1, literal.size() - 2));
    }
    auto parsed = contract::parse_json(literal, {});
    return parsed ? std::move(parsed->text) : std::string(literal);
  }

  const TextScan& scan_;
  std::string_view json_;
  Counts& counts_;
  std::string out_;
  std::vector<Level> levels_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string> redact_json_text(const TextScan& scan, std::string_view json, Counts& counts) {
  // Most values hold nothing, and without escapes the text shows all there is.
  Counts at_first_sight;
  auto as_text = scan.redact(json, at_first_sight);
  if (!as_text && json.find('\\') == std::string_view::npos) {
    return std::nullopt;
  }
  const auto compact = contract::compact_json(json);
  if (!compact) {
    if (as_text) {
      for (const auto& [id, times] : at_first_sight) {
        counts[id] += times;
      }
    }
    return as_text;
  }
  Counts found;
  std::string redacted = JsonWalk(scan, *compact, found).run();
  if (found.empty()) {
    return std::nullopt;
  }
  for (const auto& [id, times] : found) {
    counts[id] += times;
  }
  return redacted;
}

}  // namespace glovebox::redaction
