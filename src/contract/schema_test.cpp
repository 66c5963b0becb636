// The schemas are documentation that other programs execute, so they are held to the code: the golden examples obey
// them, the invalid ones break them, and the tables agree. The validator here knows exactly the keywords that the two
// schemas use and fails on any other, so that no rule passes unread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "contract/error_catalogue.h"
#include "contract/limit_table.h"
#include "contract/run_request_codec.h"
#include "contract/run_result_codec.h"
#include "contract/test_support.h"

namespace glovebox::contract {
namespace {

using nlohmann::json;

class SchemaValidator {
 public:
  explicit SchemaValidator(json root) : root_(std::move(root)) {}

  // Empty when the value obeys the schema, else the first rule it breaks.
  [[nodiscard]] std::string problem(const json& value) const { return check(root_, value, "$"); }

 private:
  static bool has_type(const json& value, const std::string& type) {
    if (type == "integer") {
      return value.is_number_integer() || (value.is_number_float() && value == std::trunc(value.get<double>()));
    }
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
           (type == "number" && value.is_number()) || (type == "null" && value.is_null());
  }

  static bool type_matches(const json& types, const json& value) {
    if (types.is_string()) {
      return has_type(value, types);
    }
    return std::any_of(types.begin(), types.end(), [&](const json& type) { return has_type(value, type); });
  }

  [[nodiscard]] std::string check(const json& schema, const json& value, const std::string& at) const {
    for (const auto& [keyword, rule] : schema.items()) {
      const std::string broken = check_keyword(keyword, rule, schema, value, at);
      if (!broken.empty()) {
        return broken;
      }
    }
    return "";
  }

  [[nodiscard]] std::string check_keyword(const std::string& keyword, const json& rule, const json& schema,
                                          const json& value, const std::string& at) const {
    const std::string broken = at + " breaks " + keyword + " " + rule.dump();
    const auto unless = [&](bool good) { return good ? std::string() : broken; };
    if (keyword == "$schema" || keyword == "$id" || keyword == "title" || keyword == "description" ||
        keyword == "default" || keyword == "$defs") {
      return "";
    }
    if (keyword == "$ref") {
      return check(root_.at(json::json_pointer(rule.get<std::string>().substr(1))), value, at);
    }
    if (keyword == "type") {
      return unless(type_matches(rule, value));
    }
    if (keyword == "enum") {
      return unless(std::find(rule.begin(), rule.end(), value) != rule.end());
    }
    if (keyword == "oneOf") {
      return unless(
          std::count_if(rule.begin(), rule.end(), [&](const json& one) { return check(one, value, at).empty(); }) == 1);
    }
    if (keyword == "not") {
      return unless(!check(rule, value, at).empty());
    }
    if (keyword == "minimum" || keyword == "maximum") {
      return unless(!value.is_number() || (keyword == "minimum" ? value >= rule : value <= rule));
    }
    if (keyword == "pattern") {
      return unless(!value.is_string() ||
                    std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>())));
    }
    if (keyword == "minLength" || keyword == "maxLength") {
      const std::size_t size = value.is_string() ? value.get_ref<const std::string&>().size() : 0;
      return unless(!value.is_string() || (keyword == "minLength" ? size >= rule : size <= rule));
    }
    if (keyword == "maxItems") {
      return unless(!value.is_array() || value.size() <= rule);
    }
    if (keyword == "maxProperties") {
      return unless(!value.is_object() || value.size() <= rule);
    }
    if (keyword == "items") {
      return value.is_array() ? check_children(rule, value, at) : "";
    }
    if (!value.is_object()) {
      return "";
    }
    if (keyword == "required") {
      return unless(std::all_of(rule.begin(), rule.end(),
                                [&](const json& name) { return value.contains(name.get<std::string>()); }));
    }
    if (keyword == "properties") {
      for (const auto& [name, property] : rule.items()) {
        const std::string inner = value.contains(name) ? check(property, value.at(name), at + "." + name) : "";
        if (!inner.empty()) {
          return inner;
        }
      }
      return "";
    }
    if (keyword == "propertyNames") {
      for (const auto& [name, child] : value.items()) {
        const std::string inner = check(rule, json(name), at + " name");
        if (!inner.empty()) {
          return inner;
        }
      }
      return "";
    }
    if (keyword == "additionalProperties") {
      for (const auto& [name, child] : value.items()) {
        if (schema.contains("properties") && schema.at("properties").contains(name)) {
          continue;
        }
        const std::string inner = rule.is_boolean() ? unless(rule.get<bool>()) : check(rule, child, at + "." + name);
        if (!inner.empty()) {
          return inner;
        }
      }
      return "";
    }
    return at + ": this validator does not know " + keyword;
  }

  [[nodiscard]] std::string check_children(const json& rule, const json& value, const std::string& at) const {
    for (std::size_t index = 0; index < value.size(); ++index) {
      const std::string inner = check(rule, value.at(index), at + "[" + std::to_string(index) + "]");
      if (!inner.empty()) {
        return inner;
      }
    }
    return "";
  }

  json root_;
};

json schema(std::string_view name) { return json::parse(read_contract_file(std::string(name) + ".schema.json")); }

TEST(Schema, EveryGoldenRequestObeysIt) {
  const SchemaValidator validator(schema("run_request"));
  for (const Example& example : read_examples("requests")) {
    EXPECT_EQ(validator.problem(json::parse(example.text)), "") << example.name;
    EXPECT_EQ(validator.problem(json::parse(to_json(*parse_run_request(example.text)))), "") << example.name;
  }
}

TEST(Schema, EveryGoldenResultObeysIt) {
  const SchemaValidator validator(schema("run_result"));
  for (const Example& example : read_examples("results")) {
    EXPECT_EQ(validator.problem(json::parse(example.text)), "") << example.name;
  }
  EXPECT_EQ(validator.problem(json::parse(to_json(RunResult{}))), "");
}

TEST(Schema, RefusesTheInvalidExamplesThatASchemaCanTell) {
  const SchemaValidator validator(schema("run_request"));
  for (const Example& example : read_examples("invalid")) {
    const json document = json::parse(example.text);
    if (document.contains("request")) {
      const bool refused = !validator.problem(document.at("request")).empty();
      EXPECT_EQ(refused, document.at("expected").at("schema_refuses").get<bool>()) << example.name;
    }
  }
}

TEST(Schema, HasTheRangesAndDefaultsOfTheLimitTable) {
  const json limits = schema("run_request").at("$defs").at("limits").at("properties");
  const Limits defaults;
  EXPECT_EQ(limits.size(), kLimitTable.size());
  for (const LimitField& limit : kLimitTable) {
    const json& property = limits.at(std::string(limit.name));
    EXPECT_EQ(property.at("minimum"), limit.least) << limit.name;
    EXPECT_EQ(property.at("maximum"), limit.most) << limit.name;
    EXPECT_EQ(property.at("default"), defaults.*limit.member) << limit.name;
    EXPECT_EQ(property.at("description"), limit.summary) << limit.name;
  }
}

TEST(Schema, HasTheDefaultsOfTheRequest) {
  const json written = json::parse(to_json(RunRequest{}));
  const json properties = schema("run_request").at("properties");
  int defaults = 0;
  for (const auto& [name, property] : properties.items()) {
    if (property.contains("default")) {
      ++defaults;
      EXPECT_EQ(property.at("default"), written.at(name)) << name;
    }
  }
  EXPECT_EQ(defaults, 12);
}

TEST(Schema, DescribesExactlyTheFieldsThatAreWritten) {
  RunRequest request;
  request.input_json = "1";
  for (const auto& [name, text] : {std::pair{"run_request", to_json(request)}, {"run_result", to_json(RunResult{})}}) {
    const json written = json::parse(text);
    const json properties = schema(name).at("properties");
    EXPECT_EQ(properties.size(), written.size()) << name;
    for (const auto& [field, value] : written.items()) {
      EXPECT_TRUE(properties.contains(field)) << name << " " << field;
    }
  }
}

TEST(Schema, ListsEveryOutcomeAndErrorCode) {
  const json properties = schema("run_result").at("properties");
  json outcomes = json::array();
  for (int index = 0; index < kOutcomeCount; ++index) {
    outcomes.push_back(to_string(static_cast<Outcome>(index)));
  }
  EXPECT_EQ(properties.at("outcome").at("enum"), outcomes);
  json codes = json::array();
  for (const CatalogueEntry& entry : error_catalogue()) {
    codes.push_back(base::to_string(entry.code));
  }
  EXPECT_EQ(properties.at("error").at("properties").at("code").at("enum"), codes);
}

}  // namespace
}  // namespace glovebox::contract
