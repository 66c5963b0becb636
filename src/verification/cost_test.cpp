// What a program wrote must not make verification slow or large, whatever it is: without its bound, each of these takes
// many seconds or gigabytes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verification/compare.h"
#include "verification/file_format.h"
#include "verification/inflation.h"
#include "verification/invariant.h"
#include "verification/pdf_example.h"
#include "verification/schema.h"

namespace glovebox::verification {
namespace {

using ::testing::HasSubstr;

// What is promised for all checks of a run, and a little for a machine with other work.
constexpr std::chrono::milliseconds kAtMost = WorkBudget::kTime * 11 / 10 + std::chrono::milliseconds(200);

// Of a run, from when its checks begin until they are over.
class PromisedBudget : public WorkBudget {
 public:
  PromisedBudget() = default;
  PromisedBudget(const PromisedBudget&) = delete;
  PromisedBudget& operator=(const PromisedBudget&) = delete;
  ~PromisedBudget() { EXPECT_LT(Clock::now() - started_, kAtMost); }

 private:
  Clock::time_point started_ = Clock::now();
};

class CostTest : public ::testing::Test {
 protected:
  void add(const std::string& path, std::string content) {
    contract::Artifact artifact;
    artifact.path = path;
    artifact.content = std::move(content);
    artifacts_.push_back(std::move(artifact));
  }

  std::string problem(std::string_view text) { return problems({text}).front(); }

  // All of them with one budget, as in a run.
  std::vector<std::string> problems(const std::vector<std::string_view>& texts) {
    evidence_.artifacts = artifacts_;
    PromisedBudget budget;
    EXPECT_TRUE(budget.hold(held_by_others_));
    Documents documents(evidence_, budget);
    std::vector<std::string> found;
    for (const std::string_view text : texts) {
      const auto invariant = Invariant::parse(text);
      found.push_back(invariant ? invariant->problem_with(documents) : "refused: " + invariant.error().message);
    }
    return found;
  }

  void SetUp() override {
    if (base::kSanitized) {
      GTEST_SKIP() << "this build is too slow for the clock of a budget";
    }
  }

  std::vector<contract::Artifact> artifacts_;
  Evidence evidence_;
  std::uint64_t held_by_others_ = 0;
};

std::string repeated(std::string_view part, std::size_t count) {
  std::string text;
  text.reserve(part.size() * count);
  for (std::size_t index = 0; index < count; ++index) {
    text += part;
  }
  return text;
}

TEST_F(CostTest, FindingATextInATextIsLinear) {
  add("needle.txt", std::string(4'000'000, 'a') + "b");
  add("hay.txt", std::string(8'000'000, 'a'));
  EXPECT_THAT(problem(R"(artifact("needle.txt") in artifact("hay.txt"))"), HasSubstr("seen: "));
  EXPECT_EQ(problem(R"(artifact("needle.txt") not in artifact("hay.txt"))"), "");
}

TEST_F(CostTest, ALongTextInALongListOfStatementsIsPaidEveryTime) {
  add("a.txt", std::string(8'000'000, 'a'));
  add("b.txt", std::string(8'000'000, 'a'));
  std::string same = R"(artifact("a.txt") == artifact("b.txt"))";
  std::string sorted = R"(sorted([artifact("a.txt"), artifact("b.txt"), artifact("a.txt"), artifact("b.txt")]))";
  const std::vector<std::string_view> all(400, same);
  EXPECT_THAT(problems(all).back(), HasSubstr("used up"));
  EXPECT_EQ(problem(sorted), "");
}

TEST_F(CostTest, APatternWithManyStatesPaysForEach) {
  add("a.txt", std::string(45'000, 'a'));
  EXPECT_THAT(problem(R"(matches(artifact("a.txt"), "(a?){1000}b"))"), HasSubstr("matches"));
  const std::vector<std::string_view> all(20, R"(matches(artifact("a.txt"), "(a?){1000}b"))");
  EXPECT_THAT(problems(all).back(), HasSubstr("used up"));
}

TEST_F(CostTest, ALongKeyIsNotCopiedForEveryValueBelowIt) {
  const std::string document =
      "{\"" + std::string(4'000'000, 'k') + "\":[" + repeated("{\"a\":1},", 100'000) + "{\"a\":2}]}";
  PromisedBudget budget;
  const auto tree = read_document(document, budget);
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(difference_of(*tree, *tree, std::nullopt, {}, budget), "");
  const auto schema = Schema::compile(R"({"additionalProperties":{"items":{"required":["b"]}}})", "s");
  EXPECT_THAT(schema->problems_of(*tree, budget).front(), HasSubstr("\"b\" is missing"));
}

TEST_F(CostTest, RulesAboutOneLongTextArePaidOneByOne) {
  const std::string rules = repeated(R"({"minLength":1},)", 4'000);
  const auto schema = Schema::compile(R"({"allOf":[)" + rules + R"({"minLength":1}]})", "s");
  ASSERT_TRUE(schema) << schema.error().message;
  PromisedBudget budget;
  const auto tree = read_document("\"" + std::string(8'000'000, 'a') + "\"", budget);
  EXPECT_THAT(schema->problems_of(*tree, budget).back(), HasSubstr("used up"));
}

TEST_F(CostTest, DependentNamesArePaid) {
  std::string names = "\"n0\"";
  for (int index = 1; index < 20'000; ++index) {
    names += fmt::format(",\"n{}\"", index);
  }
  const auto schema = Schema::compile(R"({"items":{"dependentRequired":{"a":[)" + names + "]}}}", "s");
  ASSERT_TRUE(schema) << schema.error().message;
  PromisedBudget budget;
  const auto tree = read_document("[" + repeated("{\"a\":1},", 100'000) + "1]", budget);
  EXPECT_THAT(schema->problems_of(*tree, budget).back(), HasSubstr("used up"));
}

TEST_F(CostTest, ManyPatternsAsDataArePaidByTheirCompilation) {
  const auto schema = Schema::compile(R"({"items":{"format":"regex"}})", "s");
  PromisedBudget budget;
  const auto tree = read_document("[" + repeated(R"("((a{0,99}){0,9}b{0,99}){0,1}",)", 20'000) + "\"a\"]", budget);
  EXPECT_THAT(schema->problems_of(*tree, budget).back(), HasSubstr("used up"));
}

TEST_F(CostTest, NumbersOfMillionsOfDigitsAreComparedInTime) {
  const std::string digits(4'000'000, '7');
  PromisedBudget budget;
  EXPECT_NE(difference_of_texts("0." + digits, "0." + digits + "1", contract::Comparison::numeric, 0, {}, budget), "");
  EXPECT_EQ(difference_of_texts("0." + digits, "0." + digits + "1", contract::Comparison::numeric, 1e-9, {}, budget),
            "");
  const auto tree = read_document("[0." + digits + "]", budget);
  ASSERT_TRUE(tree) << tree.error().message;
  const auto schema = Schema::compile(R"({"items":{"multipleOf":0.000000000000000007}})", "s");
  EXPECT_FALSE(schema->problems_of(*tree, budget).empty());
}

TEST_F(CostTest, DocumentsTogetherHaveOneAmountOfMemory) {
  const std::string content = "[" + repeated("1,", 950'000) + "1]";
  for (int index = 0; index < 4; ++index) {
    add(fmt::format("{}.json", index), content);
  }
  const auto found =
      problems({R"(len(artifact("0.json")) > 0)", R"(len(artifact("1.json")) > 0)", R"(len(artifact("2.json")) > 0)",
                R"(len(artifact("3.json")) > 0)", R"(len(artifact("0.json")) > 0)"});
  EXPECT_EQ(found[0], "");
  EXPECT_EQ(found[1], "");
  EXPECT_THAT(found[2], HasSubstr("256 MiB"));
  EXPECT_THAT(found[3], HasSubstr("256 MiB"));
  EXPECT_EQ(found[4], "") << "what is known stays";
}

TEST_F(CostTest, TablesAndTextsCountAsWell) {
  held_by_others_ = WorkBudget::kMemoryBytes - (10U << 20U);
  for (const char* path : {"0.csv", "1.csv", "2.txt", "3.txt"}) {
    add(path, "a\n" + std::string(4U << 20U, 'x'));
  }
  const auto found = problems({R"(len(artifact("0.csv")) == 1)", R"(len(artifact("2.txt")) > 1)",
                               R"(len(artifact("1.csv")) == 1)", R"(len(artifact("3.txt")) > 1)"});
  EXPECT_EQ(found[0], "");
  EXPECT_EQ(found[1], "");
  EXPECT_THAT(found[2], HasSubstr("256 MiB"));
  EXPECT_THAT(found[3], HasSubstr("256 MiB"));
}

TEST_F(CostTest, CopiesThatAStatementMakesCountUntilItsEnd) {
  add("t.csv", std::string(4U << 20U, 'n') + "\n1\n");
  std::string list = "[columns(artifact(\"t.csv\"))";
  for (int index = 0; index < 70; ++index) {
    list += ", columns(artifact(\"t.csv\"))";
  }
  const std::string many = "len(" + list + "]) > 0";
  const std::string few = R"(len(columns(artifact("t.csv"))) == 1)";
  const auto found = problems({many, few});
  EXPECT_THAT(found[0], HasSubstr("256 MiB"));
  EXPECT_EQ(found[1], "");
}

TEST_F(CostTest, FilesThatAreOnlyLookedAtGiveTheirMemoryBack) {
  const std::string content = "[" + repeated("1,", 900'000) + "1]";
  WorkBudget budget(WorkBudget::kSteps * 10, std::chrono::minutes(1));
  for (int index = 0; index < 4; ++index) {
    const MemoryScope scope(budget);
    EXPECT_TRUE(read_json_file(content, budget));
  }
  EXPECT_EQ(budget.memory_left(), WorkBudget::kMemoryBytes);
}

// One long text behind the heads of many objects: each of them begins with all of it.
std::string pdf_of_pages_that_share(const std::string& shared) {
  constexpr std::uint64_t kPages = 3'000;
  PdfExample pdf;
  std::string kids;
  for (std::uint64_t page = 0; page < kPages; ++page) {
    kids += fmt::format("{} 0 R ", 10 + page);
  }
  pdf.add_object(1, "<</Type/Catalog/Pages 2 0 R>>");
  pdf.add_object(2, fmt::format("<</Type/Pages/Count {}/Kids[{}]>>", kPages, kids));
  for (std::uint64_t page = 0; page < kPages; ++page) {
    pdf.add_head(10 + page, "%");
  }
  pdf.add_text(shared + "\n");
  return pdf.finished("1 0 R");
}

TEST_F(CostTest, WhatManyObjectsOfAPdfShareIsPaidByEach) {
  const std::string pdfs[] = {
      pdf_of_pages_that_share(std::string(7'500'000, 'x') + "\n<</Type/Page>>endobj"),
      pdf_of_pages_that_share("\n" + std::string(7'500'000, ' ') + "<</Type/Page>>endobj"),
      pdf_of_pages_that_share("\n<</Type/Page/N " + std::string(7'500'000, '0') + ">>endobj"),
      pdf_of_pages_that_share("\n<</Type/Page/N[1 " + std::string(7'500'000, '0') + "]>>endobj"),
  };
  for (const std::string& pdf : pdfs) {
    PromisedBudget budget;
    const auto facts = read_pdf(pdf, budget);
    EXPECT_THAT(facts ? "accepted" : facts.error().message, HasSubstr("used up"));
  }
}

// Blocks of nothing, which a decompressor reads all the same: thousands of a zip's entries may lead to the same.
TEST_F(CostTest, CompressedDataWithoutContentIsPaid) {
  const std::string nothing = repeated(std::string_view("\0\0\0\xff\xff", 5), 1'600'000);
  const std::string_view parts[] = {nothing};
  PromisedBudget budget;
  std::string problem;
  for (int index = 0; index < 1'000 && !budget.spent_out(); ++index) {
    const auto out = inflate(
        parts, InflationForm::raw, 0, [](std::string_view) { return base::Status(); }, budget);
    problem = out ? "accepted" : out.error().message;
  }
  EXPECT_THAT(problem, HasSubstr("used up"));
}

TEST(WorkBudget, WorkThatCannotBeStoppedBeginsOnlyIfThereIsTime) {
  WorkBudget budget(WorkBudget::kSteps, std::chrono::milliseconds(100));
  EXPECT_TRUE(budget.spend(100'000));
  EXPECT_FALSE(budget.spend(45'000'000)) << "as long as 1.8 s";
  EXPECT_TRUE(budget.late());
}

}  // namespace
}  // namespace glovebox::verification
