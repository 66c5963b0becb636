#include "contract/expect.h"

#include <gtest/gtest.h>

namespace glovebox::contract {
namespace {

std::string broken_field(std::string_view json) {
  const auto expect = parse_expect(json);
  return expect ? "accepted" : expect.error().field;
}

TEST(Expect, ReadsEveryPart) {
  const auto expect = parse_expect(R"({
    "stdout_json_schema":{"type":"array"}, "value_json_schema":{"const":12345678901234567890},
    "artifacts":[{"path":"a.csv","format":"csv","rows":3,"min_bytes":1,"columns":["x"],"has_columns":["x"]},
                 {"path":"gone","exists":false}],
    "invariants":["true"],
    "tests":{"cases":[{"name":"one","input":{"n":1},"expected":1e400000,"tolerance":0.5}],
             "properties":[{"property":"round_trip","inputs":[[1],null,"x"],"inverse":"undo"}]},
    "cross_check":{"language":"javascript","code":"x","compare":"numeric","tolerance":0}})");
  EXPECT_FALSE(expect) << "a number beyond every double is no JSON here";
  const auto good = parse_expect(R"({
    "value_json_schema":{"const":12345678901234567890123},
    "artifacts":[{"path":"a.csv","format":"csv","rows":3,"min_bytes":1,"columns":["x"],"has_columns":["x"]},
                 {"path":"gone","exists":false}],
    "tests":{"cases":[{"name":"one","input":{"n":1},"expected":1.50,"tolerance":0.5}],
             "properties":[{"property":"round_trip","inputs":[[1],null,"x"],"inverse":"undo"}]},
    "cross_check":{"language":"javascript","code":"x","compare":"numeric","tolerance":0}})");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(good->value_json_schema, R"({"const":12345678901234567890123})");
  EXPECT_EQ(good->artifacts[0].rows, (CountRange{3, 3}));
  EXPECT_EQ(good->artifacts[0].bytes, (CountRange{1, std::nullopt}));
  EXPECT_FALSE(good->artifacts[1].exists);
  EXPECT_EQ(good->cases[0].input_json, R"({"n":1})");
  EXPECT_EQ(good->cases[0].expected_json, "1.50");
  EXPECT_EQ(good->properties[0].inputs_json, (std::vector<std::string>{"[1]", "null", "\"x\""}));
  EXPECT_EQ(good->cross_check->compare, Comparison::numeric);
}

TEST(Expect, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(broken_field(R"({"invariants":[1]})"), "expect.invariants[0]");
  EXPECT_EQ(broken_field(R"({"invariants":")" + std::string(10, 'x') + R"("})"), "expect.invariants");
  EXPECT_EQ(broken_field(R"({"invariants":[")" + std::string(2001, 'x') + R"("]})"), "expect.invariants[0]");
  EXPECT_EQ(broken_field(R"({"artifacts":[{"path":"a","rows":1,"min_rows":1}]})"), "expect.artifacts[0].rows");
  EXPECT_EQ(broken_field(R"({"artifacts":[{"path":"a","min_rows":2,"max_rows":1}]})"), "expect.artifacts[0].min_rows");
  EXPECT_EQ(broken_field(R"({"artifacts":[{"path":"a","sha256":"AB"}]})"), "expect.artifacts[0].sha256");
  EXPECT_EQ(broken_field(R"({"artifacts":[{"path":"a","exists":false,"min_bytes":1}]})"), "expect.artifacts[0]");
  EXPECT_EQ(broken_field(R"({"tests":{"cases":[{"input":1}]}})"), "expect.tests.cases[0].expected");
  EXPECT_EQ(broken_field(R"({"tests":{"cases":[{"input":1,"expected":1,"tolerance":-1}]}})"),
            "expect.tests.cases[0].tolerance");
  EXPECT_EQ(broken_field(R"({"tests":{"properties":[{"property":"prime","inputs":[1]}]}})"),
            "expect.tests.properties[0].property");
  EXPECT_EQ(broken_field(R"({"tests":{"properties":[{"property":"idempotent","inputs":[]}]}})"),
            "expect.tests.properties[0].inputs");
  EXPECT_EQ(broken_field(R"({"tests":{"properties":[{"property":"round_trip","inputs":[1]}]}})"),
            "expect.tests.properties[0]");
  EXPECT_EQ(broken_field(R"({"tests":{"properties":[{"property":"round_trip","inputs":[1],"inverse":"a b"}]}})"),
            "expect.tests.properties[0].inverse");
  EXPECT_EQ(broken_field(R"({"cross_check":{}})"), "expect.cross_check.code");
  EXPECT_EQ(broken_field(R"({"cross_check":{"code":"","compare":"roughly"}})"), "expect.cross_check.compare");
  EXPECT_EQ(broken_field(R"({"cross_check":{"code":"","tolerance":1}})"), "expect.cross_check.tolerance");
  EXPECT_EQ(broken_field(R"({"cross_check":{"code":"","language":"C O B O L"}})"), "expect.cross_check.language");
}

}  // namespace
}  // namespace glovebox::contract
