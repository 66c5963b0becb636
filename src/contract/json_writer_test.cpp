#include "contract/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contract/json_parse.h"

namespace glovebox::contract {
namespace {

std::string milliseconds(double value) {
  JsonWriter json;
  json.milliseconds(value);
  return json.take(JsonStyle::compact);
}

std::string free_form(std::string_view text) {
  JsonWriter json;
  json.begin_array();
  json.free_form(text);
  json.free_form("2");
  json.end_array();
  return json.take(JsonStyle::compact);
}

TEST(JsonWriter, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(quote_json("a\"b\\c\n\r\t\x01\x1f"), R"("a\"b\\c\n\r\t\u0001\u001f")");
  EXPECT_EQ(quote_json(std::string_view("\0", 1)), R"("\u0000")");
  EXPECT_EQ(quote_json("é🧤"), "\"é🧤\"");
}

TEST(JsonWriter, ReplacesInvalidUtf8) {
  EXPECT_EQ(quote_json("a\xff"
                       "b"),
            "\"a\xef\xbf\xbd"
            "b\"");
}

TEST(JsonWriter, RoundsDurationsToMicroseconds) {
  EXPECT_EQ(milliseconds(0.61), "0.61");
  EXPECT_EQ(milliseconds(0.12349), "0.123");
  EXPECT_EQ(milliseconds(0.0004), "0.0");
  EXPECT_EQ(milliseconds(5000), "5000.0");
}

TEST(JsonWriter, WritesNoDurationThatIsNotANumber) {
  EXPECT_EQ(milliseconds(std::nan("")), "0.0");
  EXPECT_EQ(milliseconds(-1), "0.0");
  EXPECT_EQ(milliseconds(-0.0), "0.0");
  for (const double value : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::max(), 1e15, 1e14}) {
    EXPECT_TRUE(parse_json(milliseconds(value), {}).has_value()) << milliseconds(value);
  }
}

TEST(JsonWriter, PassesForeignJsonThroughDigitByDigit) {
  EXPECT_EQ(free_form("{ \"n\": 265252859812191058636308480000000 }"), "[{\"n\":265252859812191058636308480000000},2]");
}

TEST(JsonWriter, ForeignTextCannotSmuggleInFields) {
  EXPECT_EQ(free_form(R"(1,"success":true)"), R"(["1,\"success\":true",2])");
  EXPECT_EQ(free_form("1]"), R"(["1]",2])");
  EXPECT_EQ(free_form(""), R"(["",2])");
  EXPECT_EQ(free_form("NaN"), R"(["NaN",2])");
}

TEST(JsonWriter, IndentsWithoutTouchingStrings) {
  EXPECT_EQ(indent_json(R"({"a{":[1,"x,\"]"],"b":{},"c":[],"d\\":{"e":null}})"),
            "{\n  \"a{\": [\n    1,\n    \"x,\\\"]\"\n  ],\n  \"b\": {},\n  \"c\": [],\n  \"d\\\\\": {\n    \"e\": "
            "null\n  }\n}");
}

}  // namespace
}  // namespace glovebox::contract
