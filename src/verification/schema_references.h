// The references of a schema: which node each one means, and that none leads back to itself.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "verification/schema_node.h"

namespace glovebox::verification {

struct SchemaReference {
  std::string from;    // pointer of the schema that holds it
  std::string target;  // as written
};

// What is known of a schema when all of it has been read.
struct SchemaPlaces {
  std::string_view field;
  const std::unordered_map<std::string, NodeIndex>& by_pointer;
  const std::unordered_map<std::string, std::string>& anchors;  // name → pointer
  const std::vector<SchemaReference>& references;
};

// Every reference has to lead to a schema of the same document.
[[nodiscard]] base::Status resolve_references(const SchemaPlaces& places, std::vector<SchemaNode>& nodes);

// A schema that asks itself about the same value again would never come to an end.
[[nodiscard]] base::Status refuse_loops(std::string_view field, const std::vector<SchemaNode>& nodes);

// An error of the request at field#/json/pointer.
[[nodiscard]] base::Error schema_error(std::string_view field, std::string_view pointer, std::string message);

}  // namespace glovebox::verification
