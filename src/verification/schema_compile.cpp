// The walk through a schema; what each keyword means is in schema_keywords.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "contract/json_reader.h"
#include "verification/schema.h"
#include "verification/schema_builder.h"

namespace glovebox::verification {

using base::Result;
using base::Status;
using Kind = JsonValue::Kind;

namespace {

constexpr std::size_t kMaxSchemaBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxSchemaValues = 50'000;
constexpr std::size_t kMaxSchemaNodes = 5'000;
constexpr std::size_t kMaxPatterns = 256;

constexpr std::string_view kAnnotations[] = {"title",      "description", "$comment",  "default",
                                             "deprecated", "readOnly",    "writeOnly", "examples"};
constexpr std::string_view kUnsupported[] = {
    "unevaluatedItems", "unevaluatedProperties", "$dynamicRef",     "$dynamicAnchor",   "$recursiveRef",
    "$recursiveAnchor", "$vocabulary",           "contentEncoding", "contentMediaType", "contentSchema"};
constexpr std::array kDrafts = {SchemaDraft{"http://json-schema.org/draft-07/schema", 2018, "draft 7"},
                                SchemaDraft{"http://json-schema.org/draft-07/schema#", 2018, "draft 7"},
                                SchemaDraft{"https://json-schema.org/draft/2019-09/schema", 2019, "2019-09"},
                                SchemaDraft{"https://json-schema.org/draft/2020-12/schema", 2020, "2020-12"}};

// Keywords that an older draft does not have: a reader of that draft would pass over them.
struct NewerKeyword {
  std::string_view name;
  int year;
};
constexpr std::array kNewerKeywords = {NewerKeyword{"minContains", 2019},       NewerKeyword{"maxContains", 2019},
                                       NewerKeyword{"dependentRequired", 2019}, NewerKeyword{"dependentSchemas", 2019},
                                       NewerKeyword{"$anchor", 2019},           NewerKeyword{"prefixItems", 2020}};

}  // namespace

const SchemaDraft* find_draft(std::string_view uri) {
  const auto* known =
      std::find_if(kDrafts.begin(), kDrafts.end(), [&](const SchemaDraft& draft) { return draft.uri == uri; });
  return known == kDrafts.end() ? nullptr : known;
}

bool is_annotation(std::string_view keyword) {
  return std::find(std::begin(kAnnotations), std::end(kAnnotations), keyword) != std::end(kAnnotations);
}

const JsonValue* find_member(const JsonValue& object, std::string_view key) {
  const auto found = std::find_if(object.members.begin(), object.members.end(),
                                  [&](const JsonMember& each) { return each.key == key; });
  return found == object.members.end() ? nullptr : &found->value;
}

Result<std::vector<SchemaNode>> SchemaBuilder::build(const JsonValue& root) {
  // The draft decides how the rest is read, wherever it stands among the members.
  if (const JsonValue* draft = root.kind == Kind::object ? find_member(root, "$schema") : nullptr; draft != nullptr) {
    draft_ = find_draft(draft->text);
  }
  TRY(add(root, ""));
  TRY_STATUS(resolve_references({field_, by_pointer_, anchors_, references_}, nodes_));
  TRY_STATUS(refuse_loops(field_, nodes_));
  return std::move(nodes_);
}

Result<NodeIndex> SchemaBuilder::add(const JsonValue& schema, const std::string& pointer) {
  if (nodes_.size() >= kMaxSchemaNodes) {
    return base::fail(problem(pointer, fmt::format("more than {} subschemas", kMaxSchemaNodes)));
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
      TRY_STATUS(add_keyword(each.value, KeywordPlace{schema, pointer, each.key}, node));
    }
  } else {
    return base::fail(
        problem(pointer, fmt::format("expected a schema: an object, true or false; found {}", kind_name(schema.kind))));
  }
  nodes_[index] = std::move(node);
  return index;
}

Status SchemaBuilder::add_keyword(const JsonValue& value, const KeywordPlace& place, SchemaNode& node) {
  const auto all = schema_keywords();
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const SchemaKeyword& each) { return each.name == place.keyword; });
  if (known != all.end()) {
    TRY_STATUS(refuse_newer(place));
    return known->handle(*this, value, place, node);
  }
  if (is_annotation(place.keyword)) {
    return {};
  }
  if (std::find(std::begin(kUnsupported), std::end(kUnsupported), place.keyword) != std::end(kUnsupported)) {
    return refuse(place, "this keyword is not supported, so it would not be checked");
  }
  std::vector<std::string_view> names;
  for (const SchemaKeyword& each : all) {
    names.push_back(each.name);
  }
  const auto meant = contract::closest_name(place.keyword, names);
  return base::fail(problem(pointer_step(place.pointer, place.keyword), "unknown keyword, so it would not be checked")
                        .with_hint(meant ? fmt::format("did you mean \"{}\"?", *meant) : "leave it out"));
}

Status SchemaBuilder::refuse_newer(const KeywordPlace& place) const {
  const auto* newer = std::find_if(kNewerKeywords.begin(), kNewerKeywords.end(),
                                   [&](const NewerKeyword& each) { return each.name == place.keyword; });
  if (draft_ != nullptr && newer != kNewerKeywords.end() && newer->year > draft_->year) {
    return refuse(
        place, fmt::format("not a keyword of {}, which \"$schema\" names, so it would not be checked", draft_->name));
  }
  return {};
}

base::Error SchemaBuilder::problem(std::string_view pointer, std::string message) const {
  return schema_error(field_, pointer, std::move(message));
}

tl::unexpected<base::Error> SchemaBuilder::refuse(const KeywordPlace& place, std::string message) const {
  return base::fail(problem(pointer_step(place.pointer, place.keyword), std::move(message)));
}

Status SchemaBuilder::needs(const KeywordPlace& place, std::string_view other) const {
  if (find_member(place.schema, other) == nullptr) {
    return refuse(place, fmt::format("has no effect without \"{}\"", other));
  }
  return {};
}

Result<std::string> SchemaBuilder::text(const JsonValue& value, const KeywordPlace& place) const {
  if (value.kind != Kind::string) {
    return refuse(place, fmt::format("expected a string, found {}", kind_name(value.kind)));
  }
  return value.text;
}

Result<std::vector<std::string>> SchemaBuilder::texts(const JsonValue& value, const KeywordPlace& place) const {
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

Result<Bound> SchemaBuilder::bound(const JsonValue& value, const KeywordPlace& place) const {
  const auto number = is_number(value) ? Decimal::parse(value.text) : std::nullopt;
  if (!number) {
    return refuse(place, fmt::format("expected a number, found {}", shown(value)));
  }
  return Bound{*number, value.text};
}

Result<std::uint64_t> SchemaBuilder::count(const JsonValue& value, const KeywordPlace& place) const {
  contract::JsonValue copy = value;
  auto number = contract::JsonNode(copy, "").integer(0, std::uint64_t{1} << 53U);
  if (!number) {
    return refuse(place, number.error().message);
  }
  return *number;
}

Result<Pattern> SchemaBuilder::pattern(std::string_view expression, std::string_view pointer) {
  if (++patterns_ > kMaxPatterns) {
    return base::fail(problem(pointer, fmt::format("more than {} patterns", kMaxPatterns)));
  }
  auto pattern = Pattern::compile(expression);
  if (!pattern) {
    return base::fail(problem(pointer, pattern.error().message).with_hint(pattern.error().hint));
  }
  return pattern;
}

Result<NodeIndex> SchemaBuilder::subschema(const JsonValue& value, const KeywordPlace& place) {
  return add(value, pointer_step(place.pointer, place.keyword));
}

Result<std::vector<NodeIndex>> SchemaBuilder::subschema_list(const JsonValue& value, const KeywordPlace& place) {
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

bool SchemaBuilder::add_anchor(const std::string& name, std::string_view pointer) {
  return anchors_.emplace(name, std::string(pointer)).second;
}

void SchemaBuilder::add_reference(std::string_view from, std::string target) {
  references_.push_back({std::string(from), std::move(target)});
}

Schema::Schema(std::vector<SchemaNode> nodes)
    : nodes_(std::make_shared<const std::vector<SchemaNode>>(std::move(nodes))) {}

Result<Schema> Schema::compile(std::string_view json, std::string_view field) {
  contract::JsonOptions options;
  options.path = field;
  options.bounds.max_bytes = kMaxSchemaBytes;
  options.bounds.max_values = kMaxSchemaValues;
  options.bounds.max_keys = kMaxSchemaValues;
  const JsonValue root = TRY(contract::parse_json(json, options));
  return Schema(TRY(SchemaBuilder(field).build(root)));
}

}  // namespace glovebox::verification
