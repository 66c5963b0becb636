#include "cli/table.h"

#include <gtest/gtest.h>

namespace glovebox::cli {
namespace {

TEST(Table, IsAsWideAsItsContents) {
  Table table({{"A"}, {"NUMBER", 0, Table::Align::right}});
  table.add_row({"long word", "1"});
  table.add_row({"x", "22"});
  EXPECT_EQ(table.text(), "A          NUMBER\nlong word       1\nx              22\n");
}

TEST(Table, LeavesOutAColumnWithoutContent) {
  Table table({{"A"}, {"B"}, {"C"}});
  table.add_row({"a", "", "c"});
  EXPECT_EQ(table.text(), "A  C\na  c\n");
}

TEST(Table, CutsTheWidestColumnThatMayBeCut) {
  Table table({{"ID"}, {"TEXT", 4}});
  table.add_row({"0123456789", "a long text that does not fit"});
  EXPECT_EQ(table.text(20), "ID          TEXT\n0123456789  a long …\n");
  EXPECT_EQ(table.text(5), "ID          TEXT\n0123456789  a l…\n") << "what may not be cut stays whole";
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({{"A", 3}, {"B"}});
  table.add_row({"äöüß€", "x"});
  EXPECT_EQ(table.text(100), "A      B\näöüß€  x\n");
  EXPECT_EQ(table.text(6), "A    B\näö…  x\n");
}

TEST(Table, MakesForeignTextHarmless) {
  Table table({{"A"}});
  table.add_row({"red \x1b[31mtext\x1b]0;title\x07\nsecond\tline\xff"});
  EXPECT_EQ(table.text(), "A\nred text second line\xEF\xBF\xBD\n");
}

}  // namespace
}  // namespace glovebox::cli
