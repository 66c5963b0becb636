#include "verification/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verification/unhurried_budget.h"

namespace glovebox::verification {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

base::Result<Table> csv(std::string_view text) {
  WorkBudget budget = unhurried_budget();
  return Table::parse(text, ',', budget);
}

std::string table_refusal(std::string_view text) {
  const auto table = csv(text);
  return table ? "accepted" : table.error().message;
}

TEST(Table, ReadsRowsAndQuotes) {
  const auto table = csv("a,\"b, \"\"c\"\"\",d\r\n1,\"two\nlines\",\n\"\",x,y");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(table->columns(), ElementsAre("a", "b, \"c\"", "d"));
  EXPECT_EQ(table->row_count(), 2U);
  EXPECT_EQ(table->cell(0, 1), "two\nlines");
  EXPECT_EQ(table->cell(0, 2), "");
  EXPECT_EQ(table->cell(1, 0), "");
  EXPECT_EQ(table->cell(1, 2), "y");
}

TEST(Table, TakesAHeaderAloneAndAByteOrderMark) {
  EXPECT_EQ(csv("\xEF\xBB\xBF"
                "a,b\n")
                ->row_count(),
            0U);
  EXPECT_THAT(csv("\xEF\xBB\xBF"
                  "a,b\n")
                  ->columns(),
              ElementsAre("a", "b"));
}

TEST(Table, BlankLinesAreNoRows) {
  EXPECT_EQ(csv("a\n\n\n\n\n\n")->row_count(), 0U);
  EXPECT_EQ(csv("a\n1\n\n  \n2\r\n\r\n")->row_count(), 2U);
  EXPECT_EQ(csv("\n\na,b\n\n1,2\n \t")->row_count(), 1U);
  EXPECT_EQ(csv("a\n\"\"\n")->row_count(), 1U) << "an empty cell that is written";
  EXPECT_EQ(csv("a,b\n,\n")->row_count(), 1U);
}

TEST(Table, RefusesWhatIsNoTable) {
  EXPECT_THAT(table_refusal(""), HasSubstr("no header"));
  EXPECT_THAT(table_refusal("\n \n"), HasSubstr("no header"));
  EXPECT_THAT(table_refusal("a,b\n1\n"), HasSubstr("row 1 has 1 cells, the header has 2"));
  EXPECT_THAT(table_refusal("a,b\n1,2\n1,2,3\n"), HasSubstr("row 2 has 3 cells"));
  EXPECT_THAT(table_refusal("a,b\n1,\"x\n"), HasSubstr("not closed"));
  EXPECT_THAT(table_refusal("a,b\n1,x\"y\n"), HasSubstr("a quote in the middle"));
  EXPECT_THAT(table_refusal("a,b\n1,\"x\"y\n"), HasSubstr("text behind a quote"));
  EXPECT_THAT(table_refusal("a,b\n1,2\r3,4\n"), HasSubstr("carriage return"));
  EXPECT_THAT(table_refusal("a\n\xff\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(table_refusal(std::string_view("a\n\0\n", 4)), HasSubstr("UTF-8"));
}

TEST(Table, FindsColumnsByNameOnly) {
  const auto table = csv("a,b,b\n1,2,3\n");
  EXPECT_EQ(*table->find_column("a"), 0U);
  EXPECT_THAT(table->find_column("z").error().message, HasSubstr("no column \"z\"; the columns are a, b, b"));
  EXPECT_THAT(table->find_column("b").error().message, HasSubstr("several"));
}

TEST(Table, AMillionColumnsAreATableAndThreeMillionAreTooMany) {
  EXPECT_EQ(csv(std::string(999'999, ',') + "\n" + std::string(999'999, ','))->row_count(), 1U);
  EXPECT_THAT(table_refusal(std::string(3'000'000, ',')), HasSubstr("too many cells"));
}

}  // namespace
}  // namespace glovebox::verification
