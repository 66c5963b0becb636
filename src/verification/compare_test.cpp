#include "verification/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verification/unhurried_budget.h"

namespace glovebox::verification {
namespace {

using contract::Comparison;
using ::testing::HasSubstr;

std::string values(std::string_view left, std::string_view right, Comparison how,
                   std::optional<double> tolerance = {}) {
  WorkBudget budget = unhurried_budget();
  return difference_of_values(left, right, how, tolerance, {}, budget);
}

std::string texts(std::string_view left, std::string_view right, Comparison how, std::optional<double> tolerance = {}) {
  WorkBudget budget = unhurried_budget();
  return difference_of_texts(left, right, how, tolerance, {}, budget);
}

TEST(Compare, ValuesAreEqualByWorthAndWithoutOrderOfKeys) {
  EXPECT_EQ(values(R"({"a":1,"b":[1.0,2e1]})", R"({"b":[1,20],"a":1.00})", Comparison::json), "");
  EXPECT_THAT(values("[1,2,3]", "[1,2,4]", Comparison::json), HasSubstr("/2: 3 came, 4 was expected"));
  EXPECT_THAT(values("[1,2]", "[1,2,3]", Comparison::json), HasSubstr("(2 and 3 elements)"));
  EXPECT_NE(values(R"({"a":1})", R"({"b":1})", Comparison::json), "");
  EXPECT_NE(values("1", "true", Comparison::json), "");
  EXPECT_NE(values("\"1\"", "1", Comparison::json, 10), "");
  EXPECT_NE(values("null", "0", Comparison::exact), "");
  EXPECT_NE(values("9007199254740993", "9007199254740992", Comparison::exact), "");
}

TEST(Compare, AToleranceIsForNumbersOnly) {
  EXPECT_EQ(values("[1.0,{\"x\":2}]", "[1.0005,{\"x\":2.0009}]", Comparison::numeric, 0.001), "");
  EXPECT_THAT(values("1.1", "1.0", Comparison::numeric, 0.01), HasSubstr("1.1 came, 1.0 was expected"));
  EXPECT_NE(values("\"a\"", "\"b\"", Comparison::numeric, 100), "");
}

TEST(Compare, SetsHaveNoOrderAndNoRepeats) {
  EXPECT_EQ(values("[1,2,2,{\"a\":1}]", "[{\"a\":1.0},2,1]", Comparison::set), "");
  EXPECT_THAT(values("[1,2]", "[1,3]", Comparison::set), HasSubstr("2 came on one side only"));
  EXPECT_THAT(values("[1]", "[1,3]", Comparison::set), HasSubstr("3 was expected on one side only"));
  EXPECT_THAT(values("1", "[1]", Comparison::set), HasSubstr("only lists"));
  WorkBudget budget = unhurried_budget();
  EXPECT_THAT(difference_of_elements(*read_document("[1,1]", budget), *read_document("[1,2]", budget), {}, budget),
              HasSubstr("1 came more often"));
}

TEST(Compare, TextsExactlyOrWordByWord) {
  EXPECT_EQ(texts("a\n", "a\n", Comparison::exact), "");
  EXPECT_THAT(texts("a\n", "a", Comparison::exact), HasSubstr("came"));
  EXPECT_EQ(texts("mean = 1.50, n=3\n", "mean=1.5004 n: 3", Comparison::numeric, 0.001), "");
  EXPECT_THAT(texts("mean 1.5", "mean 1.6", Comparison::numeric, 0.01),
              HasSubstr("word 2: 1.5 came, 1.6 was expected"));
  EXPECT_THAT(texts("mean 1", "median 1", Comparison::numeric, 10), HasSubstr("word 1"));
  EXPECT_THAT(texts("1 2", "1", Comparison::numeric), HasSubstr("2 came, nothing was expected"));
}

TEST(Compare, TextsAsLinesOrDocuments) {
  EXPECT_EQ(texts("b\na\na\n", "a\nb", Comparison::set), "");
  EXPECT_THAT(texts("a\nc\n", "a\n", Comparison::set), HasSubstr("\"c\" came on one side only"));
  EXPECT_EQ(texts("{\"a\": 1, \"b\": 2}\n", "{\"b\":2,\"a\":1.0}", Comparison::json), "");
  EXPECT_THAT(texts("nothing", "{}", Comparison::json), HasSubstr("no JSON document"));
}

TEST(Compare, WholeNumbersBeyondDoublesAreToldApart) {
  EXPECT_NE(texts("9007199254740993", "9007199254740992", Comparison::numeric), "");
  EXPECT_NE(texts("9007199254740993", "9007199254740992", Comparison::numeric, 0.5), "");
  EXPECT_EQ(texts("9007199254740993", "9007199254740992", Comparison::numeric, 1), "");
  EXPECT_NE(values("9007199254740993", "9007199254740992", Comparison::json, 0.5), "");
  EXPECT_NE(values("9007199254740993", "9007199254740992", Comparison::numeric, 0), "");
  EXPECT_EQ(values("123456789012345678901234567890", "123456789012345678901234567891", Comparison::json, 1), "");
}

TEST(Compare, NumbersAreReadAsProgramsPrintThem) {
  EXPECT_EQ(texts("+1 .5 5. 007 -0.0 1e3", "1 0.5 5 7 0 1000", Comparison::numeric), "");
  EXPECT_EQ(texts("-.5 nan inf", "-0.5 nan inf", Comparison::numeric, 0.1), "");
  EXPECT_NE(texts("nan", "inf", Comparison::numeric, 1e300), "");
  EXPECT_NE(texts("1.2.3", "1.2.4", Comparison::numeric, 10), "");
  EXPECT_NE(texts(".", "0", Comparison::numeric, 10), "");
}

}  // namespace
}  // namespace glovebox::verification
