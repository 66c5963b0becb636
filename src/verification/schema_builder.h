// A schema on its way to nodes.
//
// The builder walks the schema (schema_compile.cpp) and hands every keyword to its function in schema_keywords.cpp,
// which fills in the node, with what the builder offers: values of the kind that is expected, subschemas, complaints
// that name the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "verification/json_tools.h"
#include "verification/schema_node.h"
#include "verification/schema_references.h"

namespace glovebox::verification {

struct SchemaDraft {
  std::string_view uri;
  int year;
  std::string_view name;
};
// nullptr when it is not known here.
[[nodiscard]] const SchemaDraft* find_draft(std::string_view uri);

// A keyword that says something to people only.
[[nodiscard]] bool is_annotation(std::string_view keyword);

// nullptr when absent.
[[nodiscard]] const JsonValue* find_member(const JsonValue& object, std::string_view key);

struct KeywordPlace {
  const JsonValue& schema;   // the object that the keyword stands in
  std::string_view pointer;  // of that object
  std::string_view keyword;
};

class SchemaBuilder {
 public:
  explicit SchemaBuilder(std::string_view field) : field_(field) {}

  [[nodiscard]] base::Result<std::vector<SchemaNode>> build(const JsonValue& root);

  // nullptr: not said, and then all keywords are known.
  [[nodiscard]] const SchemaDraft* draft() const { return draft_; }

  [[nodiscard]] base::Error problem(std::string_view pointer, std::string message) const;
  [[nodiscard]] tl::unexpected<base::Error> refuse(const KeywordPlace& place, std::string message) const;
  // A keyword that does nothing without another one is a mistake that nobody would notice.
  [[nodiscard]] base::Status needs(const KeywordPlace& place, std::string_view other) const;

  [[nodiscard]] base::Result<std::string> text(const JsonValue& value, const KeywordPlace& place) const;
  [[nodiscard]] base::Result<std::vector<std::string>> texts(const JsonValue& value, const KeywordPlace& place) const;
  [[nodiscard]] base::Result<Bound> bound(const JsonValue& value, const KeywordPlace& place) const;
  [[nodiscard]] base::Result<std::uint64_t> count(const JsonValue& value, const KeywordPlace& place) const;
  [[nodiscard]] base::Result<Pattern> pattern(std::string_view expression, std::string_view pointer);

  [[nodiscard]] base::Result<NodeIndex> add(const JsonValue& schema, const std::string& pointer);
  [[nodiscard]] base::Result<NodeIndex> subschema(const JsonValue& value, const KeywordPlace& place);
  [[nodiscard]] base::Result<std::vector<NodeIndex>> subschema_list(const JsonValue& value, const KeywordPlace& place);
  // Calls take(name, index, pointer) for each member of a map of schemas.
  template <typename Take>
  [[nodiscard]] base::Status subschema_map(const JsonValue& value, const KeywordPlace& place, Take take) {
    if (value.kind != JsonValue::Kind::object) {
      return refuse(place, "expected an object of schemas");
    }
    const std::string pointer = pointer_step(place.pointer, place.keyword);
    for (const JsonMember& each : value.members) {
      const std::string at = pointer_step(pointer, each.key);
      const NodeIndex index = TRY(add(each.value, at));
      TRY_STATUS(take(each.key, index, at));
    }
    return {};
  }

  // False when the name is taken.
  [[nodiscard]] bool add_anchor(const std::string& name, std::string_view pointer);
  void add_reference(std::string_view from, std::string target);

 private:
  base::Status add_keyword(const JsonValue& value, const KeywordPlace& place, SchemaNode& node);
  [[nodiscard]] base::Status refuse_newer(const KeywordPlace& place) const;

  std::string field_;
  const SchemaDraft* draft_ = nullptr;
  std::size_t patterns_ = 0;
  std::vector<SchemaNode> nodes_;
  std::unordered_map<std::string, NodeIndex> by_pointer_;
  std::unordered_map<std::string, std::string> anchors_;  // name → pointer
  std::vector<SchemaReference> references_;
};

struct SchemaKeyword {
  std::string_view name;
  base::Status (*handle)(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node);
};
[[nodiscard]] std::span<const SchemaKeyword> schema_keywords();

}  // namespace glovebox::verification
