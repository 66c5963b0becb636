// A compiled schema: every subschema is a node, nodes name each other by their index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "verification/decimal.h"
#include "verification/pattern.h"
#include "verification/text_formats.h"

namespace glovebox::verification {

using NodeIndex = std::size_t;

// The number as a caller wrote it, and what it is worth.
struct Bound {
  Decimal value;
  std::string text;
};

// One of "enum" or "const": canonical texts of what is allowed.
//
// Sorted containers, here and for properties: what is looked up was written by a program, and hashes can be made equal.
struct AllowedValues {
  std::set<std::string> texts;
  std::string shown;
};

struct CountBounds {
  std::optional<std::uint64_t> least;
  std::optional<std::uint64_t> most;
};

enum TypeBit : unsigned {
  kNullType = 1,
  kBooleanType = 2,
  kIntegerType = 4,
  kNumberType = 8,
  kStringType = 16,
  kArrayType = 32,
  kObjectType = 64,
};

struct SchemaNode {
  std::string pointer;         // where it stands in the schema
  std::optional<bool> always;  // the schemas true and false

  unsigned types = 0;  // of TypeBit; 0: any
  std::string types_shown;
  std::vector<AllowedValues> allowed;

  std::optional<Bound> minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;

  CountBounds length;
  std::optional<std::pair<Pattern, std::string>> pattern;
  const TextFormat* format = nullptr;

  CountBounds item_count;
  bool unique_items = false;
  std::vector<NodeIndex> prefix_items;
  std::optional<NodeIndex> items;  // behind the prefix
  std::optional<NodeIndex> contains;
  CountBounds contains_count{1, std::nullopt};

  CountBounds property_count;
  std::vector<std::string> required;
  std::map<std::string, NodeIndex> properties;
  std::vector<std::pair<Pattern, NodeIndex>> pattern_properties;
  std::optional<NodeIndex> additional_properties;
  std::optional<NodeIndex> property_names;
  std::vector<std::pair<std::string, std::vector<std::string>>> dependent_required;
  std::vector<std::pair<std::string, NodeIndex>> dependent_schemas;

  std::optional<NodeIndex> reference;
  std::vector<NodeIndex> all_of, any_of, one_of;
  std::optional<NodeIndex> negated, condition, consequence, alternative;
};

}  // namespace glovebox::verification
