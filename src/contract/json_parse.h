// JSON text → JsonValue, strictly.
//
// Requests come from strangers and results from cells, so the text is bounded before it is believed: bytes,
// depth, number of values, number of keys. Refused as well: duplicate keys (two readers would disagree on which
// one counts), NaN and Infinity, invalid UTF-8, NUL bytes, anything after the document. The library underneath
// does the lexing; it is included in one .cpp only.
//
// Numbers are kept as they were written. A free-form value ("input", "expect", a result's "value") is not built as
// a tree at all but kept as compact text, so that 2^100 arrives as 2^100 and a large table costs its own size.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glovebox::contract {

struct JsonMember;

struct JsonValue {
  // A number without fraction and exponent that fits 64 bits is `integer`, any other number is `real`.
  enum class Kind { null, boolean, integer, real, string, array, object, free_form };

  Kind kind = Kind::null;
  std::string text;                 // "true", the number as written, the decoded string, or compact JSON
  std::vector<JsonMember> members;  // of an object, in order; of an array, with empty keys
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

struct JsonBounds {
  std::size_t max_bytes = std::size_t{96} << 20U;
  std::size_t max_depth = 32;  // a free-form value counts its own depth anew
  std::size_t max_values = 200'000;
  std::size_t max_keys = 1'000'000;
};

struct JsonOptions {
  // Members kept as text, written like "input", "results[].value" or "runs[]". The empty name stands for the whole
  // document.
  std::span<const std::string_view> free_form;
  // Where this document stands in a larger one; leads every Error's field.
  std::string_view path;
  JsonBounds bounds;
  // Asked after every kValuesBetweenLooks values and keys; false gives up.
  std::function<bool()> may_go_on;
  static constexpr std::size_t kValuesBetweenLooks = 1024;
};

[[nodiscard]] base::Result<JsonValue> parse_json(std::string_view text, const JsonOptions& options);

// Any JSON document without insignificant space; numbers stay as written. `path` leads the Error's field.
[[nodiscard]] base::Result<std::string> compact_json(std::string_view text, std::string_view path = {});

// Appends one step to a field path: limits + wall_ms → limits.wall_ms; odd names are quoted: env["a b"].
[[nodiscard]] std::string join_path(std::string_view path, std::string_view key);
[[nodiscard]] std::string join_path(std::string_view path, std::size_t index);

}  // namespace glovebox::contract
