#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/utf8.h"
#include "contract/json_reader.h"
#include "verification/schema.h"
#include "verification/schema_node.h"
#include "verification/schema_references.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;
using Kind = JsonValue::Kind;

constexpr std::size_t kMaxSchemaBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxSchemaValues = 50'000;
constexpr std::size_t kMaxNodes = 5'000;
constexpr std::size_t kMaxPatterns = 256;

constexpr std::string_view kAnnotations[] = {"title",      "description", "$comment",  "default",
                                             "deprecated", "readOnly",    "writeOnly", "examples"};
constexpr std::string_view kUnsupported[] = {
    "unevaluatedItems", "unevaluatedProperties", "$dynamicRef",     "$dynamicAnchor",   "$recursiveRef",
    "$recursiveAnchor", "$vocabulary",           "contentEncoding", "contentMediaType", "contentSchema"};
constexpr std::string_view kDrafts[] = {
    "http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema"};

struct TypeName {
  std::string_view name;
  unsigned bits;
};
constexpr std::array kTypeNames = {TypeName{"null", kNullType},       TypeName{"boolean", kBooleanType},
                                   TypeName{"integer", kIntegerType}, TypeName{"number", kNumberType},
                                   TypeName{"string", kStringType},   TypeName{"array", kArrayType},
                                   TypeName{"object", kObjectType}};

class Compiler {
 public:
  explicit Compiler(std::string_view field) : field_(field) {}

  Result<std::vector<SchemaNode>> compile(const JsonValue& root) {
    // The draft decides how the rest is read, wherever it stands among the members.
    if (const JsonValue* draft = root.kind == Kind::object ? member(root, "$schema") : nullptr; draft != nullptr) {
      draft_7_ = draft->text.find("draft-07") != std::string::npos;
    }
    TRY(add(root, ""));
    TRY_STATUS(resolve_references({field_, by_pointer_, anchors_, references_}, nodes_));
    TRY_STATUS(refuse_loops(field_, nodes_));
    return std::move(nodes_);
  }

 private:
  struct Place {
    const JsonValue& schema;   // the object that the keyword stands in
    std::string_view pointer;  // of that object
    std::string_view keyword;
  };
  using Handler = Status (Compiler::*)(const JsonValue& value, const Place& place, SchemaNode& node);
  struct Keyword {
    std::string_view name;
    Handler handle;
  };
  static std::span<const Keyword> keywords();

  base::Error problem(std::string_view pointer, std::string message) const {
    return schema_error(field_, pointer, std::move(message));
  }
  tl::unexpected<base::Error> refuse(const Place& place, std::string message) const {
    return base::fail(problem(pointer_step(place.pointer, place.keyword), std::move(message)));
  }

  static const JsonValue* member(const JsonValue& object, std::string_view key) {
    const auto found = std::find_if(object.members.begin(), object.members.end(),
                                    [&](const JsonMember& each) { return each.key == key; });
    return found == object.members.end() ? nullptr : &found->value;
  }

  Result<NodeIndex> add(const JsonValue& schema, const std::string& pointer) {
    if (nodes_.size() >= kMaxNodes) {
      return base::fail(problem(pointer, fmt::format("more than {} subschemas", kMaxNodes)));
    }
    const NodeIndex index = nodes_.size();
    nodes_.emplace_back();
    by_pointer_[pointer] = index;
    SchemaNode node;
    node.pointer = pointer;
    if (schema.kind == Kind::boolean) {
      node.always = schema.text == "true";
    } else if (schema.kind == Kind::object) {
      for (const JsonMember& each : schema.members) {
        TRY_STATUS(add_keyword(each.value, Place{schema, pointer, each.key}, node));
      }
    } else {
      return base::fail(problem(
          pointer, fmt::format("expected a schema: an object, true or false; found {}", kind_name(schema.kind))));
    }
    nodes_[index] = std::move(node);
    return index;
  }

  Status add_keyword(const JsonValue& value, const Place& place, SchemaNode& node) {
    const auto all = keywords();
    const auto known = std::find_if(all.begin(), all.end(), [&](const Keyword& k) { return k.name == place.keyword; });
    if (known != all.end()) {
      return (this->*known->handle)(value, place, node);
    }
    if (std::find(std::begin(kAnnotations), std::end(kAnnotations), place.keyword) != std::end(kAnnotations)) {
      return {};
    }
    if (std::find(std::begin(kUnsupported), std::end(kUnsupported), place.keyword) != std::end(kUnsupported)) {
      return refuse(place, "this keyword is not supported, so it would not be checked");
    }
    std::vector<std::string_view> names;
    for (const Keyword& each : all) {
      names.push_back(each.name);
    }
    const auto meant = contract::closest_name(place.keyword, names);
    return base::fail(problem(pointer_step(place.pointer, place.keyword), "unknown keyword, so it would not be checked")
                          .with_hint(meant ? fmt::format("did you mean \"{}\"?", *meant) : "leave it out"));
  }

  // --- values of keywords ---

  Result<std::string> text(const JsonValue& value, const Place& place) const {
    if (value.kind != Kind::string) {
      return refuse(place, fmt::format("expected a string, found {}", kind_name(value.kind)));
    }
    return value.text;
  }
  Result<std::vector<std::string>> texts(const JsonValue& value, const Place& place) const {
    std::vector<std::string> list;
    for (const JsonMember& each : value.members) {
      if (value.kind != Kind::array || each.value.kind != Kind::string) {
        return refuse(place, "expected an array of strings");
      }
      list.push_back(each.value.text);
    }
    if (value.kind != Kind::array) {
      return refuse(place, "expected an array of strings");
    }
    return list;
  }
  Result<Bound> bound(const JsonValue& value, const Place& place) const {
    const auto number = is_number(value) ? Decimal::parse(value.text) : std::nullopt;
    if (!number) {
      return refuse(place, fmt::format("expected a number, found {}", shown(value)));
    }
    return Bound{*number, value.text};
  }
  Result<std::uint64_t> count(const JsonValue& value, const Place& place) const {
    contract::JsonValue copy = value;
    auto number = contract::JsonNode(copy, "").integer(0, std::uint64_t{1} << 53U);
    if (!number) {
      return refuse(place, number.error().message);
    }
    return *number;
  }
  Result<Pattern> compiled_pattern(std::string_view expression, std::string_view pointer) {
    if (++patterns_ > kMaxPatterns) {
      return base::fail(problem(pointer, fmt::format("more than {} patterns", kMaxPatterns)));
    }
    auto pattern = Pattern::compile(expression);
    if (!pattern) {
      return base::fail(problem(pointer, pattern.error().message).with_hint(pattern.error().hint));
    }
    return pattern;
  }
  Result<NodeIndex> subschema(const JsonValue& value, const Place& place) {
    return add(value, pointer_step(place.pointer, place.keyword));
  }
  Result<std::vector<NodeIndex>> subschema_list(const JsonValue& value, const Place& place) {
    if (value.kind != Kind::array || value.members.empty()) {
      return refuse(place, "expected an array with at least one schema");
    }
    std::vector<NodeIndex> list;
    const std::string pointer = pointer_step(place.pointer, place.keyword);
    for (std::size_t index = 0; index < value.members.size(); ++index) {
      list.push_back(TRY(add(value.members[index].value, pointer_step(pointer, std::to_string(index)))));
    }
    return list;
  }
  // Calls take(name, index, pointer) for each member of a map of schemas.
  template <typename Take>
  Status subschema_map(const JsonValue& value, const Place& place, Take take) {
    if (value.kind != Kind::object) {
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
  // A keyword that does nothing without another one is a mistake that nobody would notice.
  Status needs(const Place& place, std::string_view other) const {
    if (member(place.schema, other) == nullptr) {
      return refuse(place, fmt::format("has no effect without \"{}\"", other));
    }
    return {};
  }

  // --- keywords ---

  Status on_schema(const JsonValue& value, const Place& place, SchemaNode& /*node*/) {
    const std::string uri = TRY(text(value, place));
    if (std::find(std::begin(kDrafts), std::end(kDrafts), uri) == std::end(kDrafts)) {
      return refuse(place, "only draft 7, 2019-09 and 2020-12 are known here");
    }
    if (!place.pointer.empty()) {
      return refuse(place, "the draft is chosen at the root");
    }
    return {};
  }
  Status on_id(const JsonValue& value, const Place& place, SchemaNode& /*node*/) {
    TRY(text(value, place));
    if (!place.pointer.empty()) {
      return refuse(place, "a subschema with an identity of its own is not supported");
    }
    return {};
  }
  Status on_anchor(const JsonValue& value, const Place& place, SchemaNode& /*node*/) {
    const std::string name = TRY(text(value, place));
    const bool well_formed = !name.empty() && name.find_first_of("/#% ") == std::string::npos &&
                             !(name.front() >= '0' && name.front() <= '9');
    if (!well_formed || !anchors_.emplace(name, std::string(place.pointer)).second) {
      return refuse(place, well_formed ? "this anchor is there twice" : "not a name for an anchor");
    }
    return {};
  }
  Status on_ref(const JsonValue& value, const Place& place, SchemaNode& /*node*/) {
    const std::string target = TRY(text(value, place));
    if (draft_7_) {
      for (const JsonMember& each : place.schema.members) {
        const bool harmless =
            each.key == "$ref" || each.key == "definitions" || each.key == "$schema" || each.key == "$id" ||
            std::find(std::begin(kAnnotations), std::end(kAnnotations), each.key) != std::end(kAnnotations);
        if (!harmless) {
          return refuse(place, fmt::format("draft 7 ignores \"{}\" beside $ref; put both into allOf",
                                           base::printable(each.key, 60)));
        }
      }
    }
    references_.push_back({std::string(place.pointer), target});
    return {};
  }
  Status on_definitions(const JsonValue& value, const Place& place, SchemaNode& /*node*/) {
    return subschema_map(value, place, [](const auto&, NodeIndex, const auto&) { return Status(); });
  }

  Status on_type(const JsonValue& value, const Place& place, SchemaNode& node) {
    std::vector<std::string> names(1, value.text);
    if (value.kind != Kind::string) {
      names = TRY(texts(value, place));
    }
    for (const std::string& name : names) {
      const auto found =
          std::find_if(kTypeNames.begin(), kTypeNames.end(), [&](const auto& t) { return t.name == name; });
      if (found == kTypeNames.end()) {
        return refuse(place, fmt::format("\"{}\" is not a type", base::printable(name, 60)));
      }
      node.types |= found->bits;
    }
    if (names.empty()) {
      return refuse(place, "expected at least one type");
    }
    node.types_shown = fmt::format("{}", fmt::join(names, " or "));
    return {};
  }
  Status allow(const JsonValue& list, const Place& place, SchemaNode& node, std::string text) {
    AllowedValues allowed;
    WorkBudget budget;
    for (const JsonMember& each : list.members) {
      auto canonical = canonical_text(each.value, budget);
      if (!canonical) {
        return refuse(place, "too large");
      }
      allowed.texts.insert(std::move(*canonical));
    }
    allowed.shown = std::move(text);
    node.allowed.push_back(std::move(allowed));
    return {};
  }
  Status on_enum(const JsonValue& value, const Place& place, SchemaNode& node) {
    if (value.kind != Kind::array || value.members.empty()) {
      return refuse(place, "expected an array with at least one value");
    }
    return allow(value, place, node, "one of " + shown(value));
  }
  Status on_const(const JsonValue& value, const Place& place, SchemaNode& node) {
    JsonValue list;
    list.kind = Kind::array;
    list.members.push_back({"", value});
    return allow(list, place, node, shown(value));
  }

  Status on_minimum(const JsonValue& value, const Place& place, SchemaNode& node) {
    node.minimum = TRY(bound(value, place));
    return {};
  }
  Status on_maximum(const JsonValue& value, const Place& place, SchemaNode& node) {
    node.maximum = TRY(bound(value, place));
    return {};
  }
  Status on_exclusive_minimum(const JsonValue& value, const Place& place, SchemaNode& node) {
    node.exclusive_minimum = TRY(bound(value, place));
    return {};
  }
  Status on_exclusive_maximum(const JsonValue& value, const Place& place, SchemaNode& node) {
    node.exclusive_maximum = TRY(bound(value, place));
    return {};
  }
  Status on_multiple_of(const JsonValue& value, const Place& place, SchemaNode& node) {
    node.multiple_of = TRY(bound(value, place));
    if (node.multiple_of->value.is_zero() || node.multiple_of->value.is_negative()) {
      return refuse(place, "expected a number above 0");
    }
    if (!node.multiple_of->value.short_digits()) {
      return refuse(place, "has more than 18 significant digits");
    }
    return {};
  }

  // minLength, maxItems and the like: the same code for each.
  template <CountBounds SchemaNode::*Bounds, std::optional<std::uint64_t> CountBounds::*End>
  Status on_count(const JsonValue& value, const Place& place, SchemaNode& node) {
    node.*Bounds.*End = TRY(count(value, place));
    return {};
  }
  template <std::optional<std::uint64_t> CountBounds::*End>
  Status on_contains_count(const JsonValue& value, const Place& place, SchemaNode& node) {
    TRY_STATUS(needs(place, "contains"));
    return on_count<&SchemaNode::contains_count, End>(value, place, node);
  }
  // A keyword whose value is one schema.
  template <std::optional<NodeIndex> SchemaNode::*Slot>
  Status on_subschema(const JsonValue& value, const Place& place, SchemaNode& node) {
    node.*Slot = TRY(subschema(value, place));
    return {};
  }
  template <std::optional<NodeIndex> SchemaNode::*Slot>
  Status on_branch(const JsonValue& value, const Place& place, SchemaNode& node) {
    TRY_STATUS(needs(place, "if"));
    return on_subschema<Slot>(value, place, node);
  }
  template <std::vector<NodeIndex> SchemaNode::*Slot>
  Status on_subschemas(const JsonValue& value, const Place& place, SchemaNode& node) {
    node.*Slot = TRY(subschema_list(value, place));
    return {};
  }

  Status on_pattern(const JsonValue& value, const Place& place, SchemaNode& node) {
    std::string expression = TRY(text(value, place));
    Pattern pattern = TRY(compiled_pattern(expression, pointer_step(place.pointer, place.keyword)));
    node.pattern.emplace(std::move(pattern), std::move(expression));
    return {};
  }
  Status on_format(const JsonValue& value, const Place& place, SchemaNode& node) {
    node.format_name = TRY(text(value, place));
    node.format = find_text_format(node.format_name);
    if (node.format == nullptr) {
      std::vector<std::string_view> names;
      for (const TextFormat& each : text_formats()) {
        names.push_back(each.name);
      }
      return base::fail(
          problem(pointer_step(place.pointer, place.keyword),
                  fmt::format("the format \"{}\" would not be checked", base::printable(node.format_name, 60)))
              .with_hint("the formats here are " + contract::list_names(names)));
    }
    return {};
  }

  // An array of schemas is the older spelling of prefixItems, whose rest is "additionalItems".
  Status on_items(const JsonValue& value, const Place& place, SchemaNode& node) {
    if (value.kind != Kind::array) {
      node.items = TRY(subschema(value, place));
      return {};
    }
    if (member(place.schema, "prefixItems") != nullptr) {
      return refuse(place, "beside prefixItems it has to be one schema");
    }
    node.prefix_items = TRY(subschema_list(value, place));
    return {};
  }
  Status on_additional_items(const JsonValue& value, const Place& place, SchemaNode& node) {
    const JsonValue* items = member(place.schema, "items");
    if (items == nullptr || items->kind != Kind::array) {
      return refuse(place, "has no effect unless \"items\" is an array of schemas");
    }
    node.items = TRY(subschema(value, place));
    return {};
  }
  Status on_unique_items(const JsonValue& value, const Place& place, SchemaNode& node) {
    if (value.kind != Kind::boolean) {
      return refuse(place, "expected true or false");
    }
    node.unique_items = value.text == "true";
    return {};
  }

  Status on_required(const JsonValue& value, const Place& place, SchemaNode& node) {
    node.required = TRY(texts(value, place));
    return {};
  }
  Status on_properties(const JsonValue& value, const Place& place, SchemaNode& node) {
    return subschema_map(value, place, [&](const std::string& name, NodeIndex index, const std::string&) {
      node.properties[name] = index;
      return Status();
    });
  }
  Status on_pattern_properties(const JsonValue& value, const Place& place, SchemaNode& node) {
    return subschema_map(value, place, [&](const std::string& name, NodeIndex index, const std::string& at) -> Status {
      Pattern pattern = TRY(compiled_pattern(name, at));
      node.pattern_properties.emplace_back(std::move(pattern), index);
      return {};
    });
  }
  Status on_dependent_schemas(const JsonValue& value, const Place& place, SchemaNode& node) {
    return subschema_map(value, place, [&](const std::string& name, NodeIndex index, const std::string&) {
      node.dependent_schemas.emplace_back(name, index);
      return Status();
    });
  }
  Status on_dependent_required(const JsonValue& value, const Place& place, SchemaNode& node) {
    if (value.kind != Kind::object) {
      return refuse(place, "expected an object with arrays of names");
    }
    for (const JsonMember& each : value.members) {
      std::vector<std::string> names = TRY(texts(each.value, place));
      node.dependent_required.emplace_back(each.key, std::move(names));
    }
    return {};
  }
  // Draft 7's spelling of the two above.
  Status on_dependencies(const JsonValue& value, const Place& place, SchemaNode& node) {
    if (value.kind != Kind::object) {
      return refuse(place, "expected an object with schemas or arrays of names");
    }
    const std::string pointer = pointer_step(place.pointer, place.keyword);
    for (const JsonMember& each : value.members) {
      if (each.value.kind == Kind::array) {
        std::vector<std::string> names = TRY(texts(each.value, place));
        node.dependent_required.emplace_back(each.key, std::move(names));
      } else {
        const NodeIndex index = TRY(add(each.value, pointer_step(pointer, each.key)));
        node.dependent_schemas.emplace_back(each.key, index);
      }
    }
    return {};
  }

  std::string field_;
  bool draft_7_ = false;
  std::size_t patterns_ = 0;
  std::vector<SchemaNode> nodes_;
  std::unordered_map<std::string, NodeIndex> by_pointer_;
  std::unordered_map<std::string, std::string> anchors_;  // name → pointer
  std::vector<SchemaReference> references_;
};

std::span<const Compiler::Keyword> Compiler::keywords() {
  using C = Compiler;
  using N = SchemaNode;
  static constexpr std::array kKeywords = {
      Keyword{"$schema", &C::on_schema},
      Keyword{"$id", &C::on_id},
      Keyword{"$anchor", &C::on_anchor},
      Keyword{"$ref", &C::on_ref},
      Keyword{"$defs", &C::on_definitions},
      Keyword{"definitions", &C::on_definitions},
      Keyword{"type", &C::on_type},
      Keyword{"enum", &C::on_enum},
      Keyword{"const", &C::on_const},
      Keyword{"minimum", &C::on_minimum},
      Keyword{"maximum", &C::on_maximum},
      Keyword{"exclusiveMinimum", &C::on_exclusive_minimum},
      Keyword{"exclusiveMaximum", &C::on_exclusive_maximum},
      Keyword{"multipleOf", &C::on_multiple_of},
      Keyword{"minLength", &C::on_count<&N::length, &CountBounds::least>},
      Keyword{"maxLength", &C::on_count<&N::length, &CountBounds::most>},
      Keyword{"pattern", &C::on_pattern},
      Keyword{"format", &C::on_format},
      Keyword{"minItems", &C::on_count<&N::item_count, &CountBounds::least>},
      Keyword{"maxItems", &C::on_count<&N::item_count, &CountBounds::most>},
      Keyword{"uniqueItems", &C::on_unique_items},
      Keyword{"prefixItems", &C::on_subschemas<&N::prefix_items>},
      Keyword{"items", &C::on_items},
      Keyword{"additionalItems", &C::on_additional_items},
      Keyword{"contains", &C::on_subschema<&N::contains>},
      Keyword{"minContains", &C::on_contains_count<&CountBounds::least>},
      Keyword{"maxContains", &C::on_contains_count<&CountBounds::most>},
      Keyword{"minProperties", &C::on_count<&N::property_count, &CountBounds::least>},
      Keyword{"maxProperties", &C::on_count<&N::property_count, &CountBounds::most>},
      Keyword{"required", &C::on_required},
      Keyword{"properties", &C::on_properties},
      Keyword{"patternProperties", &C::on_pattern_properties},
      Keyword{"additionalProperties", &C::on_subschema<&N::additional_properties>},
      Keyword{"propertyNames", &C::on_subschema<&N::property_names>},
      Keyword{"dependentRequired", &C::on_dependent_required},
      Keyword{"dependentSchemas", &C::on_dependent_schemas},
      Keyword{"dependencies", &C::on_dependencies},
      Keyword{"allOf", &C::on_subschemas<&N::all_of>},
      Keyword{"anyOf", &C::on_subschemas<&N::any_of>},
      Keyword{"oneOf", &C::on_subschemas<&N::one_of>},
      Keyword{"not", &C::on_subschema<&N::negated>},
      Keyword{"if", &C::on_subschema<&N::condition>},
      Keyword{"then", &C::on_branch<&N::consequence>},
      Keyword{"else", &C::on_branch<&N::alternative>},
  };
  return kKeywords;
}

}  // namespace

Schema::Schema(std::vector<SchemaNode> nodes)
    : nodes_(std::make_shared<const std::vector<SchemaNode>>(std::move(nodes))) {}

Result<Schema> Schema::compile(std::string_view json, std::string_view field) {
  contract::JsonOptions options;
  options.path = field;
  options.bounds.max_bytes = kMaxSchemaBytes;
  options.bounds.max_values = kMaxSchemaValues;
  options.bounds.max_keys = kMaxSchemaValues;
  const JsonValue root = TRY(contract::parse_json(json, options));
  return Schema(TRY(Compiler(field).compile(root)));
}

}  // namespace glovebox::verification
