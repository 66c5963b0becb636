#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "verification/schema.h"
#include "verification/schema_node.h"

namespace glovebox::verification {
namespace {

using Kind = JsonValue::Kind;

constexpr std::size_t kMaxProblems = 20;
// Frames of check() on top of each other. Loops are refused when a schema is compiled, so this is about stack alone.
constexpr std::size_t kMaxSchemaDepth = 1000;

unsigned type_bits(const JsonValue& value) {
  switch (value.kind) {
    case Kind::null:
      return kNullType;
    case Kind::boolean:
      return kBooleanType;
    case Kind::integer:
      return kIntegerType | kNumberType;
    case Kind::real: {
      const auto number = Decimal::parse(value.text);
      return number && number->is_whole() ? kIntegerType | kNumberType : kNumberType;
    }
    case Kind::string:
      return kStringType;
    case Kind::array:
      return kArrayType;
    default:
      return kObjectType;
  }
}

class Checker {
 public:
  Checker(const std::vector<SchemaNode>& nodes, WorkBudget& budget) : nodes_(nodes), budget_(budget) {}

  std::vector<std::string> run(const JsonValue& document) {
    const bool good = check(0, document);
    if (budget_.spent_out()) {
      problems_.emplace_back(kOutOfBudget);
    } else if (too_deep_ || too_large_) {
      problems_.emplace_back(too_large_ ? kOutOfMemory : "not checked: value and schema are nested too deep");
    } else if (!good && problems_.empty()) {
      problems_.emplace_back("does not obey the schema");
    }
    return std::move(problems_);
  }

 private:
  bool fail(const SchemaNode& node, std::string_view keyword, const std::string& what) {
    if (quiet_ == 0 && problems_.size() < kMaxProblems) {
      problems_.push_back(fmt::format("{}: {} (schema {})", path_.empty() ? "the document" : shown_path(path_), what,
                                      base::printable(pointer_step(node.pointer, keyword), kShownBytes)));
    }
    return false;
  }

  bool check(NodeIndex index, const JsonValue& value) {
    const SchemaNode& node = nodes_[index];
    if (!budget_.spend(1)) {
      return false;
    }
    if (depth_ >= kMaxSchemaDepth) {
      too_deep_ = true;
      return false;
    }
    if (node.always) {
      return *node.always || fail(node, "", "nothing is allowed here");
    }
    ++depth_;
    // All of them, so that one answer names every problem.
    bool good = check_any_type(node, value);
    if (is_number(value)) {
      good = check_number(node, value) && good;
    } else if (value.kind == Kind::string) {
      good = check_string(node, value) && good;
    } else if (value.kind == Kind::array) {
      good = check_array(node, value) && good;
    } else if (value.kind == Kind::object) {
      good = check_object(node, value) && good;
    }
    good = check_combined(node, value) && good;
    --depth_;
    return good;
  }

  bool check_quietly(NodeIndex index, const JsonValue& value) {
    ++quiet_;
    const bool good = check(index, value);
    --quiet_;
    return good;
  }

  bool check_below(NodeIndex index, const JsonValue& value, PathStep step) {
    path_.push_back(step);
    const bool good = check(index, value);
    path_.pop_back();
    return good;
  }

  bool check_any_type(const SchemaNode& node, const JsonValue& value) {
    bool good = true;
    if (is_number(value) && !budget_.spend(value.text.size() / 8)) {
      return false;
    }
    if (node.types != 0 && (node.types & type_bits(value)) == 0) {
      good = fail(node, "type",
                  fmt::format("expected {}, found {} {}", node.types_shown, kind_name(value.kind), shown(value)));
    }
    for (const AllowedValues& allowed : node.allowed) {
      const auto text = canonical_text(value, budget_);
      if (!text || !budget_.spend(steps_to_insert(allowed.texts.size(), text->size())) ||
          !allowed.texts.contains(*text)) {
        good = fail(node, "enum", fmt::format("{} is not {}", shown(value), allowed.shown));
      }
    }
    return good;
  }

  bool check_number(const SchemaNode& node, const JsonValue& value) {
    if (!node.minimum && !node.maximum && !node.exclusive_minimum && !node.exclusive_maximum && !node.multiple_of) {
      return true;
    }
    const auto number = budget_.spend(value.text.size() / 8) ? Decimal::parse(value.text) : std::nullopt;
    if (!number) {
      return fail(node, "", fmt::format("{} cannot be compared", shown(value)));
    }
    bool good = true;
    if (node.minimum && *number < node.minimum->value) {
      good = fail(node, "minimum", fmt::format("{} is less than {}", shown(value), node.minimum->text));
    }
    if (node.maximum && *number > node.maximum->value) {
      good = fail(node, "maximum", fmt::format("{} is more than {}", shown(value), node.maximum->text));
    }
    if (node.exclusive_minimum && *number <= node.exclusive_minimum->value) {
      good = fail(node, "exclusiveMinimum",
                  fmt::format("{} is not more than {}", shown(value), node.exclusive_minimum->text));
    }
    if (node.exclusive_maximum && *number >= node.exclusive_maximum->value) {
      good = fail(node, "exclusiveMaximum",
                  fmt::format("{} is not less than {}", shown(value), node.exclusive_maximum->text));
    }
    if (node.multiple_of && !number->is_multiple_of(node.multiple_of->value)) {
      good = fail(node, "multipleOf", fmt::format("{} is not a multiple of {}", shown(value), node.multiple_of->text));
    }
    return good;
  }

  bool check_count(const SchemaNode& node, const CountBounds& bounds, std::size_t count, std::string_view noun,
                   std::string_view least_keyword, std::string_view most_keyword) {
    if (bounds.least && count < *bounds.least) {
      return fail(node, least_keyword, fmt::format("{} {}, at least {} expected", count, noun, *bounds.least));
    }
    if (bounds.most && count > *bounds.most) {
      return fail(node, most_keyword, fmt::format("{} {}, at most {} expected", count, noun, *bounds.most));
    }
    return true;
  }

  bool check_string(const SchemaNode& node, const JsonValue& value) {
    bool good = budget_.spend(value.text.size() / 64);
    if (good && (node.length.least || node.length.most)) {
      good = check_count(node, node.length, count_characters(value.text), "characters", "minLength", "maxLength");
    }
    if (node.pattern &&
        (!budget_.spend(node.pattern->first.cost(value.text)) || !node.pattern->first.found_in(value.text))) {
      good = fail(node, "pattern", fmt::format("{} does not match {}", shown(value), shown_text(node.pattern->second)));
    }
    if (node.format != nullptr &&
        (!budget_.spend(node.format->steps + value.text.size()) || !node.format->holds(value.text))) {
      good = fail(node, "format", fmt::format("{} is not a {}", shown(value), node.format->name));
    }
    return good;
  }

  bool check_array(const SchemaNode& node, const JsonValue& value) {
    bool good = check_count(node, node.item_count, value.members.size(), "items", "minItems", "maxItems");
    for (std::size_t index = 0; index < value.members.size() && !budget_.spent_out(); ++index) {
      if (index < node.prefix_items.size()) {
        good = check_below(node.prefix_items[index], value.members[index].value, index) && good;
      } else if (node.items) {
        good = check_below(*node.items, value.members[index].value, index) && good;
      } else {
        break;
      }
    }
    if (node.contains) {
      std::size_t found = 0;
      for (const JsonMember& member : value.members) {
        if (budget_.spent_out()) {
          return false;
        }
        found += check_quietly(*node.contains, member.value) ? 1 : 0;
      }
      good = check_count(node, node.contains_count, found, "items like the expected one", "contains", "maxContains") &&
             good;
    }
    return (!node.unique_items || check_unique(node, value)) && good;
  }

  bool check_unique(const SchemaNode& node, const JsonValue& value) {
    const MemoryScope scope(budget_);
    std::map<std::string, std::size_t> seen;
    for (std::size_t index = 0; index < value.members.size(); ++index) {
      auto text = canonical_text(value.members[index].value, budget_);
      if (!text || !budget_.spend(steps_to_insert(seen.size(), text->size()))) {
        return false;
      }
      if (!budget_.hold(kBytesPerValue + text->size())) {
        too_large_ = true;
        return false;
      }
      const auto [other, added] = seen.emplace(std::move(*text), index);
      if (!added) {
        return fail(
            node, "uniqueItems",
            fmt::format("items {} and {} are equal: {}", other->second, index, shown(value.members[index].value)));
      }
    }
    return true;
  }

  bool check_object(const SchemaNode& node, const JsonValue& value) {
    bool good =
        check_count(node, node.property_count, value.members.size(), "properties", "minProperties", "maxProperties");
    good = check_required(node, value) && good;
    for (const JsonMember& member : value.members) {
      if (budget_.spent_out()) {
        return false;
      }
      good = check_member(node, member) && good;
    }
    return good;
  }

  bool check_required(const SchemaNode& node, const JsonValue& value) {
    if (node.required.empty() && node.dependent_required.empty() && node.dependent_schemas.empty()) {
      return true;
    }
    std::set<std::string_view> keys;
    for (const JsonMember& member : value.members) {
      if (!budget_.spend(steps_to_insert(keys.size(), member.key.size()))) {
        return false;
      }
      keys.insert(member.key);
    }
    const std::uint64_t steps_to_find = steps_to_insert(keys.size(), 0);
    if (!budget_.spend(node.required.size() * steps_to_find)) {
      return false;
    }
    bool good = true;
    for (const std::string& name : node.required) {
      if (!keys.contains(name)) {
        good = fail(node, "required", fmt::format("\"{}\" is missing", shown_text(name)));
      }
    }
    for (const auto& [trigger, names] : node.dependent_required) {
      if (!budget_.spend((1 + names.size()) * steps_to_find)) {
        return false;
      }
      if (!keys.contains(trigger)) {
        continue;
      }
      for (const std::string& name : names) {
        if (!keys.contains(name)) {
          good = fail(node, "dependentRequired",
                      fmt::format("\"{}\" is missing beside \"{}\"", shown_text(name), shown_text(trigger)));
        }
      }
    }
    for (const auto& [trigger, index] : node.dependent_schemas) {
      if (!budget_.spend(steps_to_find)) {
        return false;
      }
      good = (!keys.contains(trigger) || check(index, value)) && good;
    }
    return good;
  }

  bool check_member(const SchemaNode& node, const JsonMember& member) {
    bool good = true;
    bool known = false;
    if (!budget_.spend(steps_to_insert(node.properties.size(), member.key.size()))) {
      return false;
    }
    if (const auto found = node.properties.find(member.key); found != node.properties.end()) {
      known = true;
      good = check_below(found->second, member.value, std::string_view(member.key));
    }
    for (const auto& [pattern, index] : node.pattern_properties) {
      if (!budget_.spend(pattern.cost(member.key))) {
        return false;
      }
      if (pattern.found_in(member.key)) {
        known = true;
        good = check_below(index, member.value, std::string_view(member.key)) && good;
      }
    }
    if (!known && node.additional_properties) {
      if (nodes_[*node.additional_properties].always == false) {
        good = fail(node, "additionalProperties",
                    fmt::format("\"{}\" is not an expected property", shown_text(member.key)));
      } else {
        good = check_below(*node.additional_properties, member.value, std::string_view(member.key)) && good;
      }
    }
    if (node.property_names) {
      JsonValue name;
      name.kind = Kind::string;
      name.text = member.key;
      good = check(*node.property_names, name) && good;
    }
    return good;
  }

  std::size_t count_matches(const std::vector<NodeIndex>& list, const JsonValue& value) {
    return static_cast<std::size_t>(
        std::count_if(list.begin(), list.end(), [&](NodeIndex index) { return check_quietly(index, value); }));
  }

  bool check_combined(const SchemaNode& node, const JsonValue& value) {
    bool good = !node.reference || check(*node.reference, value);
    for (const NodeIndex index : node.all_of) {
      good = check(index, value) && good;
    }
    if (!node.any_of.empty() && count_matches(node.any_of, value) == 0) {
      good = fail(node, "anyOf", fmt::format("{} fits none of the {} alternatives", shown(value), node.any_of.size()));
    }
    if (!node.one_of.empty()) {
      const std::size_t matches = count_matches(node.one_of, value);
      if (matches != 1) {
        good = fail(node, "oneOf",
                    fmt::format("{} fits {} of the {} alternatives, exactly 1 expected", shown(value), matches,
                                node.one_of.size()));
      }
    }
    if (node.negated && check_quietly(*node.negated, value)) {
      good = fail(node, "not", fmt::format("{} is what must not be there", shown(value)));
    }
    if (node.condition) {
      const auto& branch = check_quietly(*node.condition, value) ? node.consequence : node.alternative;
      good = (!branch || check(*branch, value)) && good;
    }
    return good;
  }

  const std::vector<SchemaNode>& nodes_;
  WorkBudget& budget_;
  std::vector<PathStep> path_;
  std::vector<std::string> problems_;
  std::size_t quiet_ = 0;
  std::size_t depth_ = 0;
  // Told at the end: under "not", a check that was given up would turn into a pass.
  bool too_deep_ = false;
  bool too_large_ = false;
};

}  // namespace

std::vector<std::string> Schema::problems_of(const JsonValue& document, WorkBudget& budget) const {
  return Checker(*nodes_, budget).run(document);
}

}  // namespace glovebox::verification
