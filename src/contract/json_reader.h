// Reads a JsonValue tree field by field and says exactly what is wrong where.
//
// A JsonNode is a value together with its path in the document. Every refusal is an Error(invalid_request) whose
// field is that path ("limits.wall_ms", "files[2].path"); the message says what was expected and what was there.
// Unknown fields are refused by name, with the closest known name as the hint (C3). Nodes point into a JsonValue
// that outlives them; take_… moves the text out of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "contract/json_parse.h"

namespace glovebox::contract {

class JsonObject;

class JsonNode {
 public:
  JsonNode(JsonValue& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_null() const { return value_->kind == JsonValue::Kind::null; }

  [[nodiscard]] base::Result<std::string> take_string() const;
  // Null counts as empty.
  [[nodiscard]] base::Result<std::string> take_string_or_null() const;
  [[nodiscard]] base::Result<std::string> take_free_form() const;
  [[nodiscard]] base::Result<bool> boolean() const;
  // 5.0 and 5e3 are whole numbers too; 5.5, -1 and 1e300 are not in any range.
  [[nodiscard]] base::Result<std::uint64_t> integer(std::uint64_t least, std::uint64_t most) const;
  [[nodiscard]] base::Result<double> non_negative_number() const;

  [[nodiscard]] base::Result<std::vector<JsonNode>> elements(std::size_t max_count) const;
  [[nodiscard]] base::Result<std::vector<std::string>> take_strings(std::size_t max_count) const;
  // A map with names of the caller's choice.
  [[nodiscard]] base::Result<std::vector<std::pair<std::string, JsonNode>>> entries(std::size_t max_count) const;
  // A record: only the known fields may be there. `elsewhere` lists dotted paths that people misplace.
  [[nodiscard]] base::Result<JsonObject> object(std::span<const std::string_view> known,
                                                std::span<const std::string_view> elsewhere = {}) const;

  [[nodiscard]] base::Error error(std::string message) const;

 private:
  [[nodiscard]] base::Error wrong_type(std::string_view expected) const;

  JsonValue* value_;
  std::string path_;
};

class JsonObject {
 public:
  JsonObject(JsonValue& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[nodiscard]] std::optional<JsonNode> find(std::string_view name) const;
  [[nodiscard]] base::Result<JsonNode> require(std::string_view name) const;

 private:
  JsonValue* value_;
  std::string path_;
};

// The candidate a person most likely meant, or nothing when none is close.
[[nodiscard]] std::optional<std::string_view> closest_name(std::string_view given,
                                                           std::span<const std::string_view> candidates);

// "a, b, c": for messages that list what is allowed.
[[nodiscard]] std::string list_names(std::span<const std::string_view> names);

}  // namespace glovebox::contract
