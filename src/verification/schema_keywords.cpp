// The keywords of JSON Schema: what each one is allowed to say, and what it puts into a node.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "contract/json_reader.h"
#include "verification/schema_builder.h"

namespace glovebox::verification {
namespace {

using base::Status;
using Kind = JsonValue::Kind;

struct TypeName {
  std::string_view name;
  unsigned bits;
};
constexpr std::array kTypeNames = {TypeName{"null", kNullType},       TypeName{"boolean", kBooleanType},
                                   TypeName{"integer", kIntegerType}, TypeName{"number", kNumberType},
                                   TypeName{"string", kStringType},   TypeName{"array", kArrayType},
                                   TypeName{"object", kObjectType}};

Status on_schema(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& /*node*/) {
  const std::string uri = TRY(builder.text(value, place));
  if (find_draft(uri) == nullptr) {
    return builder.refuse(place, "only draft 7, 2019-09 and 2020-12 are known here");
  }
  if (!place.pointer.empty()) {
    return builder.refuse(place, "the draft is chosen at the root");
  }
  return {};
}

Status on_id(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& /*node*/) {
  TRY(builder.text(value, place));
  if (!place.pointer.empty()) {
    return builder.refuse(place, "a subschema with an identity of its own is not supported");
  }
  return {};
}

Status on_anchor(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& /*node*/) {
  const std::string name = TRY(builder.text(value, place));
  const bool well_formed =
      !name.empty() && name.find_first_of("/#% ") == std::string::npos && !(name.front() >= '0' && name.front() <= '9');
  if (!well_formed || !builder.add_anchor(name, place.pointer)) {
    return builder.refuse(place, well_formed ? "this anchor is there twice" : "not a name for an anchor");
  }
  return {};
}

Status on_ref(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& /*node*/) {
  const std::string target = TRY(builder.text(value, place));
  if (builder.draft() != nullptr && builder.draft()->name == "draft 7") {
    for (const JsonMember& each : place.schema.members) {
      const bool harmless = each.key == "$ref" || each.key == "definitions" || each.key == "$schema" ||
                            each.key == "$id" || is_annotation(each.key);
      if (!harmless) {
        return builder.refuse(place, fmt::format("draft 7 ignores \"{}\" beside $ref; put both into allOf",
                                                 base::printable(each.key, 60)));
      }
    }
  }
  builder.add_reference(place.pointer, target);
  return {};
}

Status on_definitions(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& /*node*/) {
  return builder.subschema_map(value, place, [](const auto&, NodeIndex, const auto&) { return Status(); });
}

Status on_type(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  std::vector<std::string> names(1, value.text);
  if (value.kind != Kind::string) {
    names = TRY(builder.texts(value, place));
  }
  for (const std::string& name : names) {
    const auto found =
        std::find_if(kTypeNames.begin(), kTypeNames.end(), [&](const auto& t) { return t.name == name; });
    if (found == kTypeNames.end()) {
      return builder.refuse(place, fmt::format("\"{}\" is not a type", base::printable(name, 60)));
    }
    node.types |= found->bits;
  }
  if (names.empty()) {
    return builder.refuse(place, "expected at least one type");
  }
  node.types_shown = fmt::format("{}", fmt::join(names, " or "));
  return {};
}

Status allow(SchemaBuilder& builder, const JsonValue& list, const KeywordPlace& place, SchemaNode& node,
             std::string text) {
  AllowedValues allowed;
  WorkBudget budget;
  for (const JsonMember& each : list.members) {
    auto canonical = canonical_text(each.value, budget);
    if (!canonical) {
      return builder.refuse(place, "too large");
    }
    allowed.texts.insert(std::move(*canonical));
  }
  allowed.shown = std::move(text);
  node.allowed.push_back(std::move(allowed));
  return {};
}

Status on_enum(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  if (value.kind != Kind::array || value.members.empty()) {
    return builder.refuse(place, "expected an array with at least one value");
  }
  return allow(builder, value, place, node, "one of " + shown(value));
}

Status on_const(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  JsonValue list;
  list.kind = Kind::array;
  list.members.push_back({"", value});
  return allow(builder, list, place, node, shown(value));
}

// minimum, exclusiveMaximum and the like.
template <std::optional<Bound> SchemaNode::*Slot>
Status on_bound(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  node.*Slot = TRY(builder.bound(value, place));
  return {};
}

Status on_multiple_of(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  node.multiple_of = TRY(builder.bound(value, place));
  if (node.multiple_of->value.is_zero() || node.multiple_of->value.is_negative()) {
    return builder.refuse(place, "expected a number above 0");
  }
  if (!node.multiple_of->value.short_digits()) {
    return builder.refuse(place, "has more than 18 significant digits");
  }
  return {};
}

// minLength, maxItems and the like.
template <CountBounds SchemaNode::*Bounds, std::optional<std::uint64_t> CountBounds::*End>
Status on_count(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  node.*Bounds.*End = TRY(builder.count(value, place));
  return {};
}

template <std::optional<std::uint64_t> CountBounds::*End>
Status on_contains_count(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  TRY_STATUS(builder.needs(place, "contains"));
  return on_count<&SchemaNode::contains_count, End>(builder, value, place, node);
}

// A keyword whose value is one schema.
template <std::optional<NodeIndex> SchemaNode::*Slot>
Status on_subschema(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  node.*Slot = TRY(builder.subschema(value, place));
  return {};
}

template <std::optional<NodeIndex> SchemaNode::*Slot>
Status on_branch(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  TRY_STATUS(builder.needs(place, "if"));
  return on_subschema<Slot>(builder, value, place, node);
}

template <std::vector<NodeIndex> SchemaNode::*Slot>
Status on_subschemas(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  node.*Slot = TRY(builder.subschema_list(value, place));
  return {};
}

Status on_pattern(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  std::string expression = TRY(builder.text(value, place));
  Pattern pattern = TRY(builder.pattern(expression, pointer_step(place.pointer, place.keyword)));
  node.pattern.emplace(std::move(pattern), std::move(expression));
  return {};
}

Status on_format(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  const std::string name = TRY(builder.text(value, place));
  node.format = find_text_format(name);
  if (node.format == nullptr) {
    std::vector<std::string_view> names;
    for (const TextFormat& each : text_formats()) {
      names.push_back(each.name);
    }
    const std::string message = fmt::format("the format \"{}\" would not be checked", base::printable(name, 60));
    return base::fail(builder.problem(pointer_step(place.pointer, place.keyword), message)
                          .with_hint("the formats here are " + contract::list_names(names)));
  }
  return {};
}

// An array of schemas is the older spelling of prefixItems, whose rest is "additionalItems".
Status on_items(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  if (value.kind != Kind::array) {
    node.items = TRY(builder.subschema(value, place));
    return {};
  }
  if (find_member(place.schema, "prefixItems") != nullptr) {
    return builder.refuse(place, "beside prefixItems it has to be one schema");
  }
  node.prefix_items = TRY(builder.subschema_list(value, place));
  return {};
}

Status on_additional_items(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place,
                           SchemaNode& node) {
  const JsonValue* items = find_member(place.schema, "items");
  if (items == nullptr || items->kind != Kind::array) {
    return builder.refuse(place, "has no effect unless \"items\" is an array of schemas");
  }
  node.items = TRY(builder.subschema(value, place));
  return {};
}

Status on_unique_items(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  if (value.kind != Kind::boolean) {
    return builder.refuse(place, "expected true or false");
  }
  node.unique_items = value.text == "true";
  return {};
}

Status on_required(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  node.required = TRY(builder.texts(value, place));
  return {};
}

Status on_properties(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  return builder.subschema_map(value, place, [&](const std::string& name, NodeIndex index, const std::string&) {
    node.properties[name] = index;
    return Status();
  });
}

Status on_pattern_properties(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place,
                             SchemaNode& node) {
  return builder.subschema_map(value, place,
                               [&](const std::string& name, NodeIndex index, const std::string& at) -> Status {
                                 Pattern pattern = TRY(builder.pattern(name, at));
                                 node.pattern_properties.emplace_back(std::move(pattern), index);
                                 return {};
                               });
}

Status on_dependent_schemas(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place,
                            SchemaNode& node) {
  return builder.subschema_map(value, place, [&](const std::string& name, NodeIndex index, const std::string&) {
    node.dependent_schemas.emplace_back(name, index);
    return Status();
  });
}

Status on_dependent_required(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place,
                             SchemaNode& node) {
  if (value.kind != Kind::object) {
    return builder.refuse(place, "expected an object with arrays of names");
  }
  for (const JsonMember& each : value.members) {
    std::vector<std::string> names = TRY(builder.texts(each.value, place));
    node.dependent_required.emplace_back(each.key, std::move(names));
  }
  return {};
}

// Draft 7's spelling of the two above.
Status on_dependencies(SchemaBuilder& builder, const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  if (value.kind != Kind::object) {
    return builder.refuse(place, "expected an object with schemas or arrays of names");
  }
  const std::string pointer = pointer_step(place.pointer, place.keyword);
  for (const JsonMember& each : value.members) {
    if (each.value.kind == Kind::array) {
      std::vector<std::string> names = TRY(builder.texts(each.value, place));
      node.dependent_required.emplace_back(each.key, std::move(names));
    } else {
      const NodeIndex index = TRY(builder.add(each.value, pointer_step(pointer, each.key)));
      node.dependent_schemas.emplace_back(each.key, index);
    }
  }
  return {};
}

}  // namespace

std::span<const SchemaKeyword> schema_keywords() {
  using N = SchemaNode;
  static constexpr std::array kKeywords = {
      SchemaKeyword{"$schema", on_schema},
      SchemaKeyword{"$id", on_id},
      SchemaKeyword{"$anchor", on_anchor},
      SchemaKeyword{"$ref", on_ref},
      SchemaKeyword{"$defs", on_definitions},
      SchemaKeyword{"definitions", on_definitions},
      SchemaKeyword{"type", on_type},
      SchemaKeyword{"enum", on_enum},
      SchemaKeyword{"const", on_const},
      SchemaKeyword{"minimum", on_bound<&N::minimum>},
      SchemaKeyword{"maximum", on_bound<&N::maximum>},
      SchemaKeyword{"exclusiveMinimum", on_bound<&N::exclusive_minimum>},
      SchemaKeyword{"exclusiveMaximum", on_bound<&N::exclusive_maximum>},
      SchemaKeyword{"multipleOf", on_multiple_of},
      SchemaKeyword{"minLength", on_count<&N::length, &CountBounds::least>},
      SchemaKeyword{"maxLength", on_count<&N::length, &CountBounds::most>},
      SchemaKeyword{"pattern", on_pattern},
      SchemaKeyword{"format", on_format},
      SchemaKeyword{"minItems", on_count<&N::item_count, &CountBounds::least>},
      SchemaKeyword{"maxItems", on_count<&N::item_count, &CountBounds::most>},
      SchemaKeyword{"uniqueItems", on_unique_items},
      SchemaKeyword{"prefixItems", on_subschemas<&N::prefix_items>},
      SchemaKeyword{"items", on_items},
      SchemaKeyword{"additionalItems", on_additional_items},
      SchemaKeyword{"contains", on_subschema<&N::contains>},
      SchemaKeyword{"minContains", on_contains_count<&CountBounds::least>},
      SchemaKeyword{"maxContains", on_contains_count<&CountBounds::most>},
      SchemaKeyword{"minProperties", on_count<&N::property_count, &CountBounds::least>},
      SchemaKeyword{"maxProperties", on_count<&N::property_count, &CountBounds::most>},
      SchemaKeyword{"required", on_required},
      SchemaKeyword{"properties", on_properties},
      SchemaKeyword{"patternProperties", on_pattern_properties},
      SchemaKeyword{"additionalProperties", on_subschema<&N::additional_properties>},
      SchemaKeyword{"propertyNames", on_subschema<&N::property_names>},
      SchemaKeyword{"dependentRequired", on_dependent_required},
      SchemaKeyword{"dependentSchemas", on_dependent_schemas},
      SchemaKeyword{"dependencies", on_dependencies},
      SchemaKeyword{"allOf", on_subschemas<&N::all_of>},
      SchemaKeyword{"anyOf", on_subschemas<&N::any_of>},
      SchemaKeyword{"oneOf", on_subschemas<&N::one_of>},
      SchemaKeyword{"not", on_subschema<&N::negated>},
      SchemaKeyword{"if", on_subschema<&N::condition>},
      SchemaKeyword{"then", on_branch<&N::consequence>},
      SchemaKeyword{"else", on_branch<&N::alternative>},
  };
  return kKeywords;
}

}  // namespace glovebox::verification
