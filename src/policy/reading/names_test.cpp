#include "policy/reading/names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "policy/reading/escapes.h"
#include "policy/reading/fact_list.h"
#include "policy/reading/folding.h"

namespace glovebox::policy {
namespace {

TEST(Names, EqualNamesHaveEqualNumbers) {
  Names names;
  const NameId join = names.dotted("os.path.join");
  EXPECT_EQ(names.dotted("os.path.join"), join);
  EXPECT_EQ(names.member(names.dotted("os.path"), names.word("join")), join);
  EXPECT_NE(names.dotted("os.path"), join);
  EXPECT_EQ(names.to_string(join), "os.path.join");
}

TEST(Names, MembersOfTheUnknownDoNotPileUp) {
  Names names;
  const NameId first = names.member(Names::kUnknown, names.word("a"));
  EXPECT_EQ(names.to_string(names.member(first, names.word("b"))), "?.b");
  EXPECT_TRUE(names.is_of_unknown(first));
}

TEST(Names, AreNotDeeperThanTheirBound) {
  Names names;
  NameId name = names.dotted("a");
  for (int depth = 0; depth < 1'000; ++depth) {
    name = names.member(name, names.word("b"));
  }
  EXPECT_LE(names.to_string(name).size(), 2 * Names::kMaxDepth + 2);
}

TEST(Names, AProgramsNamesAreForgottenAndThoseForGoodStay) {
  Names names;
  const NameId lasting = names.dotted("os.system");
  names.remember_for_good();
  const std::size_t words = names.word_count();
  for (int each = 0; each < 20'000; ++each) {
    static_cast<void>(names.dotted(fmt::format("a{}.b", each)));
  }
  EXPECT_EQ(names.dotted("os.system"), lasting);
  names.forget_program();
  EXPECT_EQ(names.word_count(), words);
  EXPECT_EQ(names.dotted("os.system"), lasting);
  EXPECT_EQ(names.to_string(names.dotted("a7.b")), "a7.b");
}

TEST(Escapes, AreResolvedAsTheLanguagesDo) {
  EXPECT_EQ(unescape(R"(a\n\x41\101\u0042\U00000043\u{44}\\\'\")", UnknownEscape::keep_backslash), "a\nAABCD\\'\"");
  EXPECT_EQ(unescape(R"(\q)", UnknownEscape::keep_backslash), R"(\q)");
  EXPECT_EQ(unescape(R"(\q)", UnknownEscape::drop_backslash), "q");
  EXPECT_EQ(unescape("a\\\nb", UnknownEscape::keep_backslash), "ab");
}

TEST(Escapes, BrokenOnesEndWithTheText) {
  for (const char* raw : {"\\", "\\x", "\\x4", "\\u", "\\u{", "\\u{110000}", "\\U0011", "\\xzz", "\\ud800"}) {
    EXPECT_LE(unescape(raw, UnknownEscape::keep_backslash).size(), 16U) << raw;
  }
}

TEST(Escapes, IntegersHaveFourBases) {
  EXPECT_EQ(parse_integer("1_000"), 1'000U);
  EXPECT_EQ(parse_integer("0x6F"), 111U);
  EXPECT_EQ(parse_integer("0o157"), 111U);
  EXPECT_EQ(parse_integer("0b11"), 3U);
  EXPECT_EQ(parse_integer("99999999999"), std::nullopt);
  EXPECT_EQ(parse_integer("1.5"), std::nullopt);
}

TEST(Folding, DoesWhatTheMethodsDo) {
  EXPECT_EQ(change_case("oS", LetterCase::upper), "OS");
  EXPECT_EQ(change_case("OS", LetterCase::lower), "os");
  EXPECT_EQ(replace_text("o-s-", "-", "", Occurrences::all), "os");
  EXPECT_EQ(replace_text("o-s-", "-", "", Occurrences::first), "os-");
  EXPECT_EQ(replace_text("os", "", "x", Occurrences::all), "os");
  EXPECT_EQ(trim_blanks(" \n os\t"), "os");
  EXPECT_EQ(trim_blanks(" "), "");
}

TEST(FactList, TellsEachNameAtEachPlaceOnceInTheOrderOfTheText) {
  FactList list(10);
  list.add(FactKind::call, {4, 5}, "b");
  list.add(FactKind::call, {0, 1}, "a");
  list.add(FactKind::call, {4, 5}, "b");
  const std::vector<Fact> facts = std::move(list).finish("a()\nb()\n");
  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[0].name, "a");
  EXPECT_EQ(facts[1].at, (Place{2, 1, 1}));
}

}  // namespace
}  // namespace glovebox::policy
