// The step as a whole, with a runner of trials that computes instead of making cells.
#include "verification/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"

namespace glovebox::verification {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class VerifyTest : public ::testing::Test {
 protected:
  Verification run(std::string expect) {
    request_.expect_json = std::move(expect);
    const auto expectation = Expectation::compile(request_);
    EXPECT_TRUE(expectation) << expectation.error().field << " " << expectation.error().message;
    Helpers helpers;
    helpers.read_blob = [](const std::string&) -> base::Result<std::string> { return std::string("n\n1\n2\n"); };
    helpers.work.unknown.clear();
    helpers.run_trial = [this](const TrialOrder& order) {
      orders_.push_back(order);
      return answer_(order);
    };
    return verify(*expectation, request_, result_, helpers);
  }

  void add_artifact(const std::string& path, const std::string& content) {
    result_.artifacts.push_back({path, content.size(), base::sha256_hex(content), "", content});
  }

  static Trial value(std::string json) { return {contract::Outcome::ok, {}, "", "", false, std::move(json)}; }

  contract::RunRequest request_;
  contract::RunResult result_;
  std::vector<TrialOrder> orders_;
  std::function<Trial(const TrialOrder&)> answer_ = [](const TrialOrder& order) { return value(*order.input_json); };
};

TEST_F(VerifyTest, PassesAndReportsEveryCheck) {
  result_.standard_output = "[1,2]\n";
  add_artifact("out.csv", "a\n1\n");
  const Verification done =
      run(R"({"stdout_json_schema":{"type":"array"},"artifacts":[{"path":"out.csv","format":"csv","rows":1}],
                                  "invariants":["sum(json) == 3"]})");
  EXPECT_EQ(done.validation.status, "passed");
  EXPECT_THAT(done.validation.failures, IsEmpty());
  ASSERT_EQ(done.validation.checks.size(), 3U);
  EXPECT_EQ(done.validation.checks[1].name, "expect.artifacts[0] out.csv");
  EXPECT_TRUE(done.validation.checks[2].passed);
}

TEST_F(VerifyTest, ListsEveryFailure) {
  result_.standard_output = R"({"a":1,"b":2})";
  add_artifact("out.csv", "a\n");
  add_artifact("debug.log", "x");
  const Verification done = run(R"({"stdout_json_schema":{"properties":{"a":{"type":"string"},"b":{"maximum":1}}},
    "artifacts":[{"path":"out.csv","format":"csv","min_rows":1,"columns":["b"],"has_columns":["c"],"min_bytes":100,
                  "sha256":"2a21fe6d592a19b7de898b50eb53c429608de1a66f3e9f62da19714a770553d1"},
                 {"path":"gone.png","format":"png"},{"path":"debug.log","exists":false},{"path":"never","exists":false}],
    "invariants":["json.a == 2","json.c == 1"]})");
  EXPECT_EQ(done.validation.status, "failed");
  EXPECT_THAT(
      done.validation.failures,
      ElementsAre(HasSubstr("expect.stdout_json_schema: /a: expected string"), HasSubstr("/b: 2 is more than 1"),
                  HasSubstr("out.csv: 2 bytes, at least 100 expected"), HasSubstr("its sha256 is"),
                  HasSubstr("0 rows, at least 1 expected"), HasSubstr("the columns are a; expected b"),
                  HasSubstr("there is no column c"), HasSubstr("gone.png: the program did not make this file"),
                  HasSubstr("debug.log: the file must not be there"), HasSubstr("json.a == 2: seen: 1 == 2"),
                  HasSubstr("there is no \"c\"")));
  EXPECT_TRUE(done.validation.repeatable);
}

TEST_F(VerifyTest, OutputThatIsCutOrNoJsonFails) {
  result_.standard_output = "hello";
  EXPECT_THAT(run(R"({"stdout_json_schema":{}})").validation.failures, ElementsAre(HasSubstr("not valid JSON")));
  result_.standard_output = "[]";
  result_.stdout_truncated = true;
  EXPECT_THAT(run(R"({"stdout_json_schema":{}})").validation.failures, ElementsAre(HasSubstr("was cut")));
}

TEST_F(VerifyTest, ReadsInputsFromTheRequestAndFromBlobs) {
  request_.files.push_back({*base::RelPath::parse("in.csv"), std::string("n\n1\n2\n")});
  request_.files.push_back({*base::RelPath::parse("stored.csv"), contract::BlobRef{std::string(64, 'a')}});
  EXPECT_THAT(run(R"J({"invariants":["column(input(\"in.csv\"), \"n\") == column(input(\"stored.csv\"), \"n\")"]})J")
                  .validation.failures,
              IsEmpty());
}

TEST_F(VerifyTest, TheValueHasASchemaToo) {
  request_.input_json = "1";
  result_.results = {{"value", "application/json", "9007199254740993"}};
  EXPECT_EQ(run(R"({"value_json_schema":{"maximum":9007199254740993}})").validation.status, "passed");
  EXPECT_EQ(run(R"({"value_json_schema":{"maximum":9007199254740992}})").validation.status, "failed");
}

TEST_F(VerifyTest, EachCaseIsATrialWithAReport) {
  const Verification done = run(R"({"tests":{"cases":[{"name":"same","input":[1,2],"expected":[1.0,2]},
    {"input":3,"expected":3.05,"tolerance":0.1},{"input":"x","expected":"y"}]}})");
  EXPECT_EQ(orders_.size(), 3U);
  ASSERT_EQ(done.validation.checks.size(), 3U);
  EXPECT_EQ(done.validation.checks[0].name, "expect.tests.cases[0] same");
  EXPECT_TRUE(done.validation.checks[0].passed && done.validation.checks[1].passed);
  EXPECT_FALSE(done.validation.checks[2].passed);
  EXPECT_EQ(done.validation.checks[2].message, "solve(\"x\"): \"x\" came, \"y\" was expected");
}

TEST_F(VerifyTest, ACrashingCaseHidesNoOther) {
  answer_ = [](const TrialOrder& order) {
    return *order.input_json == "0" ? Trial{contract::Outcome::program_failed,
                                            base::ErrorCode::runtime_error,
                                            "ZeroDivisionError: x",
                                            "",
                                            false,
                                            {}}
                                    : value("1");
  };
  const Verification done = run(R"({"tests":{"cases":[{"input":0,"expected":1},{"input":5,"expected":1}]}})");
  EXPECT_THAT(done.validation.failures, ElementsAre(HasSubstr("it ended with program_failed: ZeroDivisionError")));
  EXPECT_TRUE(done.validation.checks[1].passed);
  EXPECT_TRUE(done.validation.repeatable);
}

TEST_F(VerifyTest, PropertiesHoldOrSayWhereNot) {
  const auto failures = [&](const char* property, const char* input, const char* output, const char* more = "") {
    answer_ = [&](const TrialOrder&) { return value(output); };
    return run(std::string(R"({"tests":{"properties":[{"property":")") + property + R"(","inputs":[)" + input + "]" +
               more + "}]}}")
        .validation.failures;
  };
  EXPECT_THAT(failures("non_decreasing", "[3,1]", "[1,1,3.5]"), IsEmpty());
  EXPECT_THAT(failures("non_decreasing", "[3,1]", "[1,3,2]"), ElementsAre(HasSubstr("element 1 is 3, element 2 is 2")));
  EXPECT_THAT(failures("non_decreasing", "1", "7"), ElementsAre(HasSubstr("not a list")));
  EXPECT_THAT(failures("non_decreasing", "1", "[1,\"a\"]"), ElementsAre(HasSubstr("no order")));
  EXPECT_THAT(failures("non_increasing", "[1]", "[\"b\",\"a\"]"), IsEmpty());
  EXPECT_THAT(failures("same_length", "[1,2]", "\"ab\""), IsEmpty());
  EXPECT_THAT(failures("same_length", "[1,2]", "[1]"), ElementsAre(HasSubstr("the value has 1 elements, the input 2")));
  EXPECT_THAT(failures("same_length", "5", "[1]"), ElementsAre(HasSubstr("has no length")));
  EXPECT_THAT(failures("same_elements", "[2,1,1]", "[1,2,1.0]"), IsEmpty());
  EXPECT_THAT(failures("same_elements", "[2,1]", "[1,1]"), ElementsAre(HasSubstr("1 is in the value more often")));
  EXPECT_THAT(failures("idempotent", "5", "4"), IsEmpty());
  EXPECT_THAT(failures("repeatable", "5", "4"), IsEmpty());
}

TEST_F(VerifyTest, PropertiesThatNeedTwoCallsCompareThem) {
  int calls = 0;
  answer_ = [&](const TrialOrder&) { return value(std::to_string(++calls)); };
  EXPECT_THAT(run(R"({"tests":{"properties":[{"property":"repeatable","inputs":[1]}]}})").validation.failures,
              ElementsAre(HasSubstr("2 came the second time, 1 the first time")));
  EXPECT_THAT(run(R"({"tests":{"properties":[{"property":"idempotent","inputs":[1]}]}})").validation.failures,
              ElementsAre(HasSubstr("4 came from solve(solve(x)), 3 from solve(x)")));
  EXPECT_EQ(*orders_.back().input_json, "3") << "the second call gets the first one's value";
}

TEST_F(VerifyTest, ARoundTripCallsTheInverse) {
  request_.code = "def solve(x): ...";
  answer_ = [](const TrialOrder& order) { return value(order.code ? "\"back\"" : "\"there\""); };
  const Verification done =
      run(R"({"tests":{"properties":[{"property":"round_trip","inputs":["back"],"inverse":"undo"}]}})");
  EXPECT_THAT(done.validation.failures, IsEmpty());
  ASSERT_EQ(orders_.size(), 2U);
  EXPECT_THAT(*orders_[1].code, HasSubstr("solve = undo"));
  EXPECT_EQ(*orders_[1].input_json, "\"there\"");
}

TEST_F(VerifyTest, ATrialThatSaysNothingStopsTheWhole) {
  answer_ = [](const TrialOrder&) {
    return Trial{contract::Outcome::cancelled, base::ErrorCode::cancelled, "stopped", "", false, {}};
  };
  const Verification done =
      run(R"({"tests":{"cases":[{"input":1,"expected":1},{"input":2,"expected":2}]},"cross_check":{"code":""}})");
  ASSERT_TRUE(done.stopped_by);
  EXPECT_EQ(done.stopped_by->outcome, contract::Outcome::cancelled);
  EXPECT_EQ(orders_.size(), 1U);
}

TEST_F(VerifyTest, ATrialAtALimitMayPassAnotherTime) {
  answer_ = [](const TrialOrder&) {
    return Trial{contract::Outcome::timeout, base::ErrorCode::wall_timeout, "too long", "", false, {}};
  };
  const Verification done = run(R"({"tests":{"cases":[{"input":1,"expected":1}]}})");
  EXPECT_EQ(done.validation.status, "failed");
  EXPECT_FALSE(done.validation.repeatable);
}

TEST_F(VerifyTest, TheCrossCheckComparesBothPrograms) {
  result_.standard_output = "1.50\n";
  answer_ = [](const TrialOrder&) { return Trial{contract::Outcome::ok, {}, "", "1.5\n", false, {}}; };
  EXPECT_THAT(run(R"({"cross_check":{"code":"x"}})").validation.failures,
              ElementsAre(HasSubstr("\"1.50\\x0a\" came from the program, \"1.5\\x0a\" from the second program")));
  EXPECT_THAT(run(R"({"cross_check":{"code":"x","compare":"numeric"}})").validation.failures, IsEmpty());
  EXPECT_THAT(run(R"({"cross_check":{"code":"x","compare":"json"}})").validation.failures, IsEmpty());
  EXPECT_EQ(orders_.back().kind, TrialKind::cross_check);
  answer_ = [](const TrialOrder&) {
    return Trial{contract::Outcome::program_failed, base::ErrorCode::runtime_error, "NameError: y", "", false, {}};
  };
  EXPECT_THAT(run(R"({"cross_check":{"code":"x"}})").validation.failures,
              ElementsAre(HasSubstr("the second program ended with program_failed: NameError: y")));
}

TEST_F(VerifyTest, TheCrossCheckOfSolveComparesValues) {
  request_.input_json = "[3,1]";
  result_.results = {{"value", "application/json", "[1,3]"}};
  answer_ = [](const TrialOrder&) { return value("[3,1]"); };
  EXPECT_THAT(run(R"({"cross_check":{"code":"x"}})").validation.failures,
              ElementsAre(HasSubstr("/0: 1 came from the program, 3 from the second")));
  EXPECT_THAT(run(R"({"cross_check":{"code":"x","compare":"set"}})").validation.failures, IsEmpty());
  EXPECT_EQ(*orders_.back().input_json, "[3,1]");
}

}  // namespace
}  // namespace glovebox::verification
