#include "contract/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"

namespace glovebox::contract {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

base::Error json_refusal(std::string_view text, const JsonOptions& options = {}) {
  auto value = parse_json(text, options);
  EXPECT_FALSE(value.has_value()) << text.substr(0, 80);
  return value ? base::Error{} : value.error();
}

TEST(JsonParse, KeepsOrderAndNumbersAsWritten) {
  const auto value = parse_json(R"({"b":1,"a":[2.50,1e3,-7,123456789012345678901234567890]})", {});
  ASSERT_TRUE(value.has_value());
  ASSERT_EQ(value->members.size(), 2U);
  EXPECT_EQ(value->members[0].key, "b");
  const auto& numbers = value->members[1].value.members;
  EXPECT_EQ(numbers[0].value.text, "2.50");
  EXPECT_EQ(numbers[1].value.text, "1e3");
  EXPECT_EQ(numbers[2].value.text, "-7");
  EXPECT_EQ(numbers[3].value.text, "123456789012345678901234567890");
  EXPECT_EQ(numbers[3].value.kind, JsonValue::Kind::real);
}

TEST(JsonParse, RefusesTenThousandOpenBrackets) {
  const base::Error error = json_refusal(std::string(10'000, '['));
  EXPECT_EQ(error.code, ErrorCode::invalid_request);
  EXPECT_THAT(error.message, HasSubstr("nested deeper than 32 levels"));
}

TEST(JsonParse, RefusesTenThousandOpenBracketsInAFreeFormValue) {
  const auto compact = compact_json(std::string(10'000, '[') + std::string(10'000, ']'), "input");
  ASSERT_FALSE(compact.has_value());
  EXPECT_THAT(compact.error().message, HasSubstr("nested deeper than 32 levels"));
}

TEST(JsonParse, AcceptsExactlyThirtyTwoLevels) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(32), {}).has_value());
  EXPECT_FALSE(parse_json(nested(33), {}).has_value());
  EXPECT_TRUE(compact_json(nested(32)).has_value());
  EXPECT_FALSE(compact_json(nested(33)).has_value());
}

TEST(JsonParse, CountsTheDepthOfAFreeFormValueAnew) {
  static constexpr std::string_view kFreeForm[] = {"a.b"};
  JsonOptions options;
  options.free_form = kFreeForm;
  const std::string text = R"({"a":{"b":)" + std::string(32, '[') + std::string(32, ']') + "}}";
  const auto value = parse_json(text, options);
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(value->members[0].value.members[0].value.text.size(), 64U);
}

TEST(JsonParse, RefusesTextThatIsTooLongWithoutReadingIt) {
  JsonOptions options;
  options.bounds.max_bytes = 10;
  EXPECT_EQ(json_refusal("[1,2,3,4,5]", options).code, ErrorCode::input_too_large);
  EXPECT_TRUE(parse_json("[1,2,3,45]", options).has_value());
}

TEST(JsonParse, RefusesTooManyValuesAndKeys) {
  JsonOptions options;
  options.bounds.max_values = 3;
  options.bounds.max_keys = 2;
  EXPECT_THAT(json_refusal("[1,2,3]", options).message, HasSubstr("more than 3 values"));
  EXPECT_THAT(json_refusal(R"({"a":1,"b":{"c":1}})", options).message, HasSubstr("more than 2 object keys"));
  EXPECT_TRUE(parse_json("[1,2]", options).has_value());
}

TEST(JsonParse, NamesADuplicateKeyAtAnyLevel) {
  EXPECT_EQ(json_refusal(R"({"a":1,"a":1})").field, "a");
  EXPECT_EQ(json_refusal(R"({"x":[0,{"y":{"k":1,"k":2}}]})").field, "x[1].y.k");
  EXPECT_THAT(json_refusal(R"({"a":1,"\u0061":1})").message, HasSubstr("\"a\" appears twice"));
  EXPECT_TRUE(parse_json(R"({"a":{"a":{"a":1}},"b":{"a":1}})", {}).has_value());
}

TEST(JsonParse, NamesADuplicateKeyInsideAFreeFormValue) {
  const auto compact = compact_json(R"([{"k":1,"k":2}])", "input");
  ASSERT_FALSE(compact.has_value());
  EXPECT_EQ(compact.error().field, "input[0].k");
}

TEST(JsonParse, SaysThatNanIsNotJson) {
  for (const char* text : {"NaN", "Infinity", "-Infinity", "[NaN]"}) {
    const base::Error error = json_refusal(text);
    EXPECT_THAT(error.message, HasSubstr("not valid JSON at line 1")) << text;
    EXPECT_THAT(error.hint, HasSubstr("NaN and Infinity are not JSON")) << text;
  }
}

TEST(JsonParse, RefusesNumbersThatNoDoubleHolds) {
  const base::Error error = json_refusal(R"({"a":[1,1e400]})");
  EXPECT_EQ(error.field, "a[1]");
  EXPECT_THAT(error.message, HasSubstr("number overflow"));
  EXPECT_THAT(error.hint, HasSubstr("as strings"));
  EXPECT_LT(json_refusal(std::string(1'000'000, '9')).message.size(), 300U);
}

TEST(JsonParse, RefusesAnythingAfterTheDocument) {
  for (const std::string_view text : {std::string_view("{} {}"), std::string_view("1 2"), std::string_view("[]]"),
                                      std::string_view("{}\0", 3), std::string_view("{}\0{}", 5)}) {
    EXPECT_EQ(json_refusal(text).code, ErrorCode::invalid_request) << base::printable(text, 20);
  }
  EXPECT_TRUE(parse_json(" {} \r\n\t", {}).has_value());
}

TEST(JsonParse, RefusesInvalidUtf8ByName) {
  for (const std::string_view text : {"[\"\xff\"]", "[\"\xc0\xaf\"]", "[\"\xed\xa0\x80\"]", "{\"\x80\":1}"}) {
    EXPECT_THAT(json_refusal(text).message, HasSubstr("ill-formed UTF-8")) << base::printable(text, 20);
  }
  EXPECT_FALSE(parse_json(R"(["\ud800"])", {}).has_value());
}

TEST(JsonParse, PointsAtTheLineOfASyntaxError) {
  const base::Error error = json_refusal("{\n  \"a\": 1,\n  \"b\" 2\n}");
  EXPECT_THAT(error.message, HasSubstr("line 3, column 7"));
}

TEST(JsonParse, DoesNotRepeatLongInputInMessages) {
  const base::Error error = json_refusal("[\"" + std::string(100'000, 'x') + "\xff\"]");
  EXPECT_LT(error.message.size(), 300U);
}

TEST(CompactJson, DropsSpaceAndNothingElse) {
  EXPECT_EQ(compact_json(" { \"a b\" : [ 1.50 , null , true , \"x\\u00e9 y\\n\" ] , \"c\" : { } } ").value(),
            "{\"a b\":[1.50,null,true,\"xé y\\n\"],\"c\":{}}");
  EXPECT_EQ(compact_json(" 7 ").value(), "7");
  EXPECT_EQ(compact_json(R"("s")").value(), R"("s")");
  EXPECT_EQ(compact_json("[[],[{}],[1,[2,3]],4]").value(), "[[],[{}],[1,[2,3]],4]");
}

struct IntegerCase {
  std::string_view text;
  bool accepted;
};

TEST(JsonNode, AcceptsOnlyWholeNumbersInRange) {
  const IntegerCase cases[] = {
      {"1", true},      {"100", true},
      {"5.0", true},    {"1e2", true},
      {"0", false},     {"101", false},
      {"-1", false},    {"1.5", false},
      {"1e300", false}, {"18446744073709551617", false},
      {"-5.0", false},  {"99999999999999999999999", false},
      {"\"5\"", false}, {"null", false},
      {"true", false},
  };
  for (const IntegerCase& item : cases) {
    auto value = parse_json(item.text, {});
    ASSERT_TRUE(value.has_value());
    const auto number = JsonNode(*value, "limits.x").integer(1, 100);
    EXPECT_EQ(number.has_value(), item.accepted) << item.text;
    if (!number) {
      EXPECT_EQ(number.error().field, "limits.x");
      EXPECT_THAT(number.error().message, HasSubstr("expected a whole number"));
    }
  }
}

TEST(JsonNode, ReadsTheLargestInteger) {
  auto value = parse_json("18446744073709551615", {});
  EXPECT_EQ(JsonNode(*value, "").integer(0, ~std::uint64_t{0}).value(), ~std::uint64_t{0});
}

TEST(JsonNode, SaysWhatWasExpectedAndWhatWasThere) {
  auto value = parse_json(R"({"a":1})", {});
  EXPECT_EQ(JsonNode(*value, "x").take_string().error().message, "expected a string, found an object");
  EXPECT_EQ(JsonNode(*value, "x").boolean().error().message, "expected true or false, found an object");
  EXPECT_EQ(JsonNode(*value, "x").elements(1).error().message, "expected an array, found an object");
}

TEST(JsonNode, QuotesOddNamesInPaths) {
  EXPECT_EQ(join_path("env", "A"), "env.A");
  EXPECT_EQ(join_path("env", "a.b"), "env[\"a.b\"]");
  EXPECT_EQ(join_path("", "a"), "a");
  EXPECT_EQ(join_path("files", 2), "files[2]");
  EXPECT_EQ(join_path("env", "\x1b[2J"), "env[\"\\x1b[2J\"]");
}

TEST(ClosestName, FindsTyposAndIgnoresStrangers) {
  const std::string_view names[] = {"stdin", "code", "limits.wall_ms"};
  EXPECT_EQ(closest_name("stdn", names), "stdin");
  EXPECT_EQ(closest_name("cdoe", names), "code");
  EXPECT_EQ(closest_name("wallMs", names), "limits.wall_ms");
  EXPECT_EQ(closest_name("zebra", names), std::nullopt);
  EXPECT_EQ(closest_name("", names), std::nullopt);
  EXPECT_EQ(closest_name(std::string(100'000, 'c'), names), std::nullopt);
}

TEST(JsonParse, KeepsElementsOfAListAsText) {
  static constexpr std::string_view kElements[] = {"runs[]"};
  JsonOptions options;
  options.free_form = kElements;
  auto parsed = parse_json(R"({"runs": [{"a": [1, {"b": 1.50}]}, "text", 7, [], {}], "other": [1, 2]})", options);
  ASSERT_TRUE(parsed);
  const auto& runs = parsed->members[0].value.members;
  ASSERT_EQ(runs.size(), 5U);
  EXPECT_EQ(runs[0].value.kind, JsonValue::Kind::free_form);
  EXPECT_EQ(runs[0].value.text, R"({"a":[1,{"b":1.50}]})");
  EXPECT_EQ(runs[1].value.text, "\"text\"");
  EXPECT_EQ(runs[2].value.text, "7");
  EXPECT_EQ(runs[3].value.text, "[]");
  EXPECT_EQ(runs[4].value.text, "{}");
  EXPECT_EQ(parsed->members[1].value.members[0].value.kind, JsonValue::Kind::integer);
}

}  // namespace
}  // namespace glovebox::contract
