// The cases are data (testdata/schema_cases.json), in the manner of the official suite: a schema, values that obey it,
// values that break it; and schemas that have to be refused, with the place.
#include "verification/schema.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "contract/json_reader.h"
#include "verification/unhurried_budget.h"

namespace glovebox::verification {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Cases {
  struct Group {
    std::string about, schema;
    std::vector<std::string> valid, invalid;
  };
  struct Refused {
    std::string about, schema, at;
  };
  std::vector<Group> groups;
  std::vector<Refused> refused;
};

std::vector<contract::JsonNode> elements(const contract::JsonObject& object, std::string_view name) {
  return *object.require(name)->elements(1000);
}

std::vector<std::string> texts(const contract::JsonObject& object, std::string_view name) {
  std::vector<std::string> list;
  for (const contract::JsonNode& node : elements(object, name)) {
    list.push_back(*node.take_free_form());
  }
  return list;
}

// Through our own reader, because the numbers must keep their digits.
Cases read_cases() {
  std::ifstream file(GLOVEBOX_SOURCE_DIR "/src/verification/testdata/schema_cases.json");
  std::stringstream text;
  text << file.rdbuf();
  static constexpr std::string_view kFreeForm[] = {"groups[].schema", "groups[].valid[]", "groups[].invalid[]",
                                                   "refused[].schema"};
  contract::JsonOptions options;
  options.free_form = kFreeForm;
  auto root = contract::parse_json(text.str(), options);
  EXPECT_TRUE(root) << root.error().message;
  Cases cases;
  const std::string_view top[] = {"groups", "refused"};
  const auto object = *contract::JsonNode(*root, "").object(top);
  const std::string_view fields[] = {"about", "schema", "valid", "invalid", "at"};
  for (const contract::JsonNode& node : elements(object, "groups")) {
    const auto group = *node.object(fields);
    cases.groups.push_back({*group.require("about")->take_string(), *group.require("schema")->take_free_form(),
                            texts(group, "valid"), texts(group, "invalid")});
  }
  for (const contract::JsonNode& node : elements(object, "refused")) {
    const auto group = *node.object(fields);
    cases.refused.push_back({*group.require("about")->take_string(), *group.require("schema")->take_free_form(),
                             *group.require("at")->take_string()});
  }
  return cases;
}

std::vector<std::string> problems(std::string_view schema, std::string_view document,
                                  WorkBudget budget = unhurried_budget()) {
  const auto compiled = Schema::compile(schema, "s");
  EXPECT_TRUE(compiled) << compiled.error().message;
  WorkBudget reading = unhurried_budget();
  const auto tree = read_document(document, reading);
  EXPECT_TRUE(tree) << tree.error().message;
  return compiled->problems_of(*tree, budget);
}

TEST(Schema, JudgesEveryCaseAsTheStandardSays) {
  std::size_t count = 0;
  for (const Cases::Group& group : read_cases().groups) {
    const auto schema = Schema::compile(group.schema, "s");
    ASSERT_TRUE(schema) << group.about << ": " << schema.error().field << " " << schema.error().message;
    const auto judge = [&](const std::string& text) {
      WorkBudget budget = unhurried_budget();
      ++count;
      const auto document = read_document(text, budget);
      EXPECT_TRUE(document) << text;
      return schema->problems_of(*document, budget);
    };
    for (const std::string& value : group.valid) {
      EXPECT_THAT(judge(value), IsEmpty()) << group.about << ": " << value;
    }
    for (const std::string& value : group.invalid) {
      EXPECT_FALSE(judge(value).empty()) << group.about << ": " << value;
    }
  }
  EXPECT_GE(count, 350U);
}

TEST(Schema, RefusesWhatItWouldNotCheckAndSaysWhere) {
  const Cases cases = read_cases();
  EXPECT_GE(cases.refused.size(), 40U);
  for (const Cases::Refused& each : cases.refused) {
    const auto schema = Schema::compile(each.schema, "expect.stdout_json_schema");
    ASSERT_FALSE(schema) << each.about;
    EXPECT_EQ(schema.error().code, base::ErrorCode::invalid_request);
    EXPECT_THAT(schema.error().field, ::testing::StartsWith("expect.stdout_json_schema" + each.at)) << each.about;
  }
}

TEST(Schema, SuggestsTheKeywordThatWasMeant) {
  EXPECT_THAT(Schema::compile(R"({"minumum":3})", "s").error().hint, HasSubstr("minimum"));
  EXPECT_THAT(Schema::compile(R"({"format":"e-mail"})", "s").error().hint, HasSubstr("email"));
}

TEST(Schema, NamesEveryProblemWithItsPlace) {
  EXPECT_THAT(
      problems(R"({"properties":{"n":{"type":"array","items":{"maximum":3}},"a/b":{"minLength":2}},"required":["z"]})",
               R"({"n":[1,9,8],"a/b":"x"})"),
      ElementsAre(HasSubstr("\"z\" is missing"),
                  HasSubstr("/n/1: 9 is more than 3 (schema /properties/n/items/maximum)"),
                  HasSubstr("/n/2: 8 is more than 3"), HasSubstr("/a~1b: 1 characters, at least 2 expected")));
}

TEST(Schema, StopsNamingProblemsAtTwenty) {
  std::string numbers = "[1";
  for (int index = 0; index < 1000; ++index) {
    numbers += ",1";
  }
  EXPECT_EQ(problems(R"({"items":{"minimum":5}})", numbers + "]").size(), 20U);
}

TEST(Schema, GivesUpAndFailsWhenTheWorkIsTooMuch) {
  // Each level asks twice for the next one: 2^40 steps.
  std::string definitions;
  for (int index = 0; index < 40; ++index) {
    definitions += fmt::format(R"("n{}":{{"allOf":[{{"$ref":"#/$defs/n{}"}},{{"$ref":"#/$defs/n{}"}}]}},)", index,
                               index + 1, index + 1);
  }
  const std::string schema = R"({"$defs":{)" + definitions + R"("n40":{}},"$ref":"#/$defs/n0"})";
  const WorkBudget little(1'000'000, std::chrono::hours(1));
  EXPECT_THAT(problems(schema, "1", little), ElementsAre(HasSubstr("used up")));
  // Under "not" as well: what was given up must not turn into a pass.
  const std::string negated = R"({"$defs":{)" + definitions + R"("n40":{}},"not":{"$ref":"#/$defs/n0"}})";
  EXPECT_THAT(problems(negated, "1", little), ElementsAre(HasSubstr("used up")));
}

TEST(Schema, SurvivesValuesAsDeepAsTheyCanBe) {
  const std::string deep = std::string(199, '[') + std::string(199, ']');
  EXPECT_THAT(problems(R"({"items":{"$ref":"#"}})", deep), IsEmpty());
  // Ten schemas for each level are more frames than are allowed; that is a failure, not a crash or a pass.
  EXPECT_THAT(
      problems(
          R"({"not":{"$ref":"#/$defs/a"},"$defs":{"a":{"items":{"allOf":[{"allOf":[{"allOf":[{"allOf":[{"allOf":[{"allOf":
                       [{"$ref":"#/$defs/a"}]}]}]}]}]}]}}}})",
          deep),
      ElementsAre(HasSubstr("too deep")));
}

TEST(Schema, FindsEqualItemsAmongManyInLittleTime) {
  std::string list = "[0";
  for (int index = 1; index < 100'000; ++index) {
    list += "," + std::to_string(index);
  }
  EXPECT_THAT(problems(R"({"uniqueItems":true})", list + "]"), IsEmpty());
  EXPECT_THAT(problems(R"({"uniqueItems":true})", list + ",500]"),
              ElementsAre(HasSubstr("items 500 and 100000 are equal: 500")));
}

TEST(Schema, RefusesSchemasWithoutMeasure) {
  std::string many = R"({"x":{}})";
  std::string list;
  for (int index = 0; index < 6000; ++index) {
    list += (index == 0 ? "" : ",") + std::string("{}");
  }
  EXPECT_FALSE(Schema::compile(R"({"allOf":[)" + list + "]}", "s"));
  EXPECT_FALSE(Schema::compile(R"({"pattern":")" + std::string(3000, 'a') + "\"}", "s"));
  EXPECT_FALSE(Schema::compile(R"({"pattern":"((a{0,999}){0,999}){0,999}"})", "s"));
}

}  // namespace
}  // namespace glovebox::verification
