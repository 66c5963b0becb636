// JsonWriter: JSON text, fields in the order they are written.
//
// A writer instead of a tree, for two reasons: a free-form value (what a program returned, a caller's input) must
// come out digit for digit as it came in, which a tree of doubles cannot promise; and a result is mostly one long
// string that should be copied once. Invalid UTF-8 is replaced by U+FFFD, so that the text is always valid JSON.
//
// Begin and end calls must match; key() comes before every value inside an object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glovebox::contract {

enum class JsonStyle { compact, pretty };

class JsonWriter {
 public:
  void begin_object();
  void end_object();
  void begin_array();
  void end_array();

  void key(std::string_view name);
  // A member of an object: the key and its value.
  void null(std::string_view name) { key(name), null(); }
  void boolean(std::string_view name, bool value) { key(name), boolean(value); }
  void integer(std::string_view name, std::uint64_t value) { key(name), integer(value); }
  void signed_integer(std::string_view name, std::int64_t value) { key(name), signed_integer(value); }
  void milliseconds(std::string_view name, double value) { key(name), milliseconds(value); }
  void string(std::string_view name, std::string_view bytes) { key(name), string(bytes); }
  void string_or_null(std::string_view name, std::string_view bytes) { key(name), string_or_null(bytes); }
  void free_form(std::string_view name, std::string_view json) { key(name), free_form(json); }
  void strings(std::string_view name, const std::vector<std::string>& list);

  void null();
  void boolean(bool value);
  void integer(std::uint64_t value);
  void signed_integer(std::int64_t value);
  // Rounded by round_ms.
  void milliseconds(double value);
  void string(std::string_view bytes);
  // Null when empty: the way "absent" is spelled for text fields that may be.
  void string_or_null(std::string_view bytes);
  // Foreign JSON text. Text that is not JSON is written as a string, so that it cannot smuggle in fields.
  void free_form(std::string_view json);

  // The finished text; the writer is spent.
  [[nodiscard]] std::string take(JsonStyle style);

 private:
  void separate();

  std::string text_;
  bool needs_comma_ = false;
};

// Three decimals, never negative, never NaN: what a duration in a result looks like.
[[nodiscard]] double round_ms(double value);

// The text as a JSON string with its quotes.
[[nodiscard]] std::string quote_json(std::string_view bytes);

// Compact JSON with line breaks and two spaces per level.
[[nodiscard]] std::string indent_json(std::string_view compact);

}  // namespace glovebox::contract
