#include "contract/json_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/utf8.h"
#include "contract/json_writer.h"

namespace glovebox::contract {
namespace {

using base::Error;
using base::ErrorCode;
using base::make_error;

constexpr std::size_t kShownMessageBytes = 120;

// The library says "[id] parse error at line 1, column 2: <detail>; last read: '<token>'; expected <x>". The token
// may be megabytes of somebody's data, so only the detail and what was expected are kept.
std::string syntax_detail(std::string_view what) {
  if (const auto colon = what.find(": "); what.find("parse error at") != what.npos && colon != what.npos) {
    what.remove_prefix(colon + 2);
  } else if (const auto bracket = what.find("] "); bracket != what.npos) {
    what.remove_prefix(bracket + 2);
  }
  std::string detail(what.substr(0, what.find("; last read")));
  if (const auto expected = what.rfind("; expected "); expected != what.npos && expected >= detail.size()) {
    detail += what.substr(expected);
  }
  return base::printable(detail, kShownMessageBytes);
}

// Receives the lexer's events. Frames mirror the open brackets; the innermost free-form value, if any, turns the
// events back into compact text instead of growing the tree.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const JsonOptions& options) : text_(text), options_(options) {
    next_is_free_form_ = is_free_form("");
    for (const std::string_view name : options_.free_form) {
      longest_name_ = std::max(longest_name_, name.size());
    }
    keeps_elements_ = std::any_of(options_.free_form.begin(), options_.free_form.end(),
                                  [](std::string_view name) { return name.ends_with("[]"); });
  }

  base::Result<JsonValue> finish() {
    if (error_) {
      return base::fail(std::move(*error_));
    }
    return std::move(root_);
  }

  bool null() { return scalar(JsonValue::Kind::null, "null"); }
  bool boolean(bool value) { return scalar(JsonValue::Kind::boolean, value ? "true" : "false"); }
  bool number_integer(std::int64_t value) { return scalar(JsonValue::Kind::integer, std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return scalar(JsonValue::Kind::integer, std::to_string(value)); }
  bool number_float(double /*value*/, const std::string& token) { return scalar(JsonValue::Kind::real, token); }
  bool string(std::string& value) {
    if (in_free_form() || next_is_free_form_) {
      return scalar(JsonValue::Kind::string, quote_json(value));
    }
    return scalar(JsonValue::Kind::string, std::move(value));
  }
  bool binary(std::vector<std::uint8_t>& /*value*/) { return refuse("binary values are not JSON"); }

  bool start_object(std::size_t /*size*/) { return open(JsonValue::Kind::object, '{'); }
  bool end_object() { return close('}'); }
  bool start_array(std::size_t /*size*/) { return open(JsonValue::Kind::array, '['); }
  bool end_array() { return close(']'); }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    frame.key = name;
    if (++keys_ > options_.bounds.max_keys) {
      return refuse(fmt::format("more than {} object keys", options_.bounds.max_keys));
    }
    if (!may_go_on()) {
      return false;
    }
    if (!frame.seen.insert(name).second) {
      return refuse(fmt::format("the key \"{}\" appears twice", base::printable(name, kShownMessageBytes)),
                    "keep one of the two; readers disagree on which one would count");
    }
    if (in_free_form()) {
      separate(frame);
      *free_text_ += quote_json(name);
      *free_text_ += ':';
    } else {
      next_is_free_form_ = is_free_form_here();
    }
    return true;
  }

  template <typename Exception>
  bool parse_error(std::size_t position, const std::string& /*token*/, const Exception& exception) {
    const std::string_view before = text_.substr(0, position > 0 ? position - 1 : 0);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto newline = before.rfind('\n');
    const auto column = newline == before.npos ? before.size() + 1 : before.size() - newline;
    // What could not be read is the element after those already begun.
    if (!frames_.empty() && !frames_.back().is_object) {
      ++frames_.back().count;
    }
    const std::string_view rest = text_.substr(before.size());
    std::string hint;
    if (rest.starts_with("NaN") || rest.starts_with("Inf")) {
      hint = "NaN and Infinity are not JSON; send null or a string";
    } else if (exception.id == kNumberOverflow) {
      hint = "send very large numbers as strings";
    }
    return refuse(
        fmt::format("not valid JSON at line {}, column {}: {}", line, column, syntax_detail(exception.what())), hint);
  }

 private:
  static constexpr int kNumberOverflow = 406;

  struct Frame {
    bool is_object = false;
    JsonValue* value = nullptr;  // null inside a free-form value
    std::size_t count = 0;       // values begun so far
    std::string key;
    std::set<std::string> seen;  // sorted: whoever writes the keys could choose them so that their hashes are equal
  };

  [[nodiscard]] bool in_free_form() const { return free_text_ != nullptr; }

  [[nodiscard]] bool is_free_form(std::string_view name) const {
    return std::find(options_.free_form.begin(), options_.free_form.end(), name) != options_.free_form.end();
  }

  // Long keys are not put together for every value below them: no name is as long.
  [[nodiscard]] bool is_free_form_here() const {
    std::string name;
    for (const Frame& frame : frames_) {
      if (name.size() + frame.key.size() > longest_name_) {
        return false;
      }
      if (!frame.is_object) {
        name += "[]";
        continue;
      }
      name += name.empty() ? "" : ".";
      name += frame.key;
    }
    return is_free_form(name);
  }

  bool may_go_on() {
    return ++since_look_ % JsonOptions::kValuesBetweenLooks != 0 || !options_.may_go_on || options_.may_go_on() ||
           refuse("given up: it takes too long to read");
  }

  [[nodiscard]] std::string path() const {
    std::string path(options_.path);
    for (const Frame& frame : frames_) {
      if (!frame.is_object) {
        path = join_path(path, frame.count == 0 ? 0 : frame.count - 1);
      } else if (!frame.seen.empty()) {
        path = join_path(path, frame.key);
      }
    }
    return path;
  }

  bool refuse(std::string message, std::string hint = {}) {
    if (!error_) {
      error_ = make_error(ErrorCode::invalid_request, std::move(message)).with_field(path()).with_hint(std::move(hint));
    }
    return false;
  }

  // Writes the comma that a free-form text needs before this value or key.
  void separate(const Frame& frame) {
    if (frame.count > 0) {
      *free_text_ += ',';
    }
  }

  // Counts a value in its parent and, in a free-form array, writes the comma before it.
  void begin_value() {
    if (frames_.empty()) {
      return;
    }
    if (in_free_form() && !frames_.back().is_object) {
      separate(frames_.back());
    }
    ++frames_.back().count;
  }

  JsonValue* add_value() {
    if (++values_ > options_.bounds.max_values) {
      refuse(fmt::format("more than {} values", options_.bounds.max_values));
      return nullptr;
    }
    if (!may_go_on()) {
      return nullptr;
    }
    if (frames_.empty()) {
      return &root_;
    }
    Frame& frame = frames_.back();
    frame.value->members.push_back({frame.is_object ? frame.key : std::string(), {}});
    return &frame.value->members.back().value;
  }

  bool scalar(JsonValue::Kind kind, std::string text) {
    begin_value();
    if (in_free_form()) {
      *free_text_ += text;
      return true;
    }
    JsonValue* value = add_value();
    if (value == nullptr) {
      return false;
    }
    value->kind = next_is_free_form_ ? JsonValue::Kind::free_form : kind;
    value->text = std::move(text);
    expect_next();
    return true;
  }

  // What follows may be an element that is kept as text.
  void expect_next() {
    next_is_free_form_ = keeps_elements_ && !frames_.empty() && !frames_.back().is_object && is_free_form_here();
  }

  bool open(JsonValue::Kind kind, char bracket) {
    begin_value();
    if (frames_.size() - free_base_ >= options_.bounds.max_depth) {
      return refuse(fmt::format("nested deeper than {} levels", options_.bounds.max_depth));
    }
    Frame frame;
    frame.is_object = kind == JsonValue::Kind::object;
    if (!in_free_form()) {
      JsonValue* value = add_value();
      if (value == nullptr) {
        return false;
      }
      if (next_is_free_form_) {
        value->kind = JsonValue::Kind::free_form;
        free_text_ = &value->text;
        free_base_ = frames_.size();
        next_is_free_form_ = false;
      } else {
        value->kind = kind;
        frame.value = value;
      }
    }
    if (in_free_form()) {
      *free_text_ += bracket;
    }
    frames_.push_back(std::move(frame));
    if (!in_free_form()) {
      expect_next();
    }
    return true;
  }

  bool close(char bracket) {
    frames_.pop_back();
    if (in_free_form()) {
      *free_text_ += bracket;
      if (frames_.size() == free_base_) {
        free_text_ = nullptr;
        free_base_ = 0;
      }
    }
    if (!in_free_form()) {
      expect_next();
    }
    return true;
  }

  std::string_view text_;
  const JsonOptions& options_;
  JsonValue root_;
  std::vector<Frame> frames_;
  std::string* free_text_ = nullptr;
  std::size_t free_base_ = 0;  // frames around the open free-form value
  bool next_is_free_form_ = false;
  bool keeps_elements_ = false;
  std::size_t longest_name_ = 0;  // of the free-form ones
  std::size_t since_look_ = 0;
  std::size_t values_ = 0;
  std::size_t keys_ = 0;
  std::optional<Error> error_;
};

bool is_plain_key(std::string_view key) {
  return !key.empty() && key.size() <= 64 && std::all_of(key.begin(), key.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '_' || letter == '-';
  });
}

}  // namespace

std::string join_path(std::string_view path, std::string_view key) {
  if (!is_plain_key(key)) {
    return fmt::format("{}[\"{}\"]", path, base::printable(key, 64));
  }
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string join_path(std::string_view path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

base::Result<JsonValue> parse_json(std::string_view text, const JsonOptions& options) {
  const auto refuse = [&](ErrorCode code, std::string message) {
    return base::fail(make_error(code, std::move(message)).with_field(std::string(options.path)));
  };
  if (text.size() > options.bounds.max_bytes) {
    return refuse(ErrorCode::input_too_large,
                  fmt::format("{} bytes of JSON, at most {} are read", text.size(), options.bounds.max_bytes));
  }
  // The lexer takes a NUL byte for the end of the text and would not look behind it.
  if (const auto nul = text.find('\0'); nul != text.npos) {
    return refuse(ErrorCode::invalid_request, fmt::format("not valid JSON: a NUL byte at offset {}", nul));
  }
  TreeBuilder builder(text, options);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.finish();
}

base::Result<std::string> compact_json(std::string_view text, std::string_view path) {
  static constexpr std::string_view kWholeDocument[] = {""};
  JsonOptions options;
  options.free_form = kWholeDocument;
  options.path = path;
  JsonValue value = TRY(parse_json(text, options));
  return std::move(value.text);
}

}  // namespace glovebox::contract
