#include "redaction/word_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace glovebox::redaction {
namespace {

using Found = std::vector<std::pair<std::size_t, std::uint32_t>>;

Found find(const WordFinder& finder, std::string_view text) {
  Found found;
  finder.scan(text, [&](std::size_t position, std::uint32_t target) { found.emplace_back(position, target); });
  return found;
}

TEST(WordFinder, FindsEveryWordWhereItStands) {
  WordFinder finder;
  finder.add("AKIA", WordCase::exact, 1);
  finder.add("token", WordCase::any, 2);
  finder.add("tok", WordCase::exact, 3);
  finder.build();
  EXPECT_THAT(find(finder, "my TOKEN, tok; AKIA akia"),
              testing::ElementsAre(std::pair(3, 2), std::pair(10, 3), std::pair(15, 1)));
  EXPECT_THAT(find(finder, "token"), testing::UnorderedElementsAre(std::pair(0, 2), std::pair(0, 3)));
}

TEST(WordFinder, AWordThatTheTextCutsShortIsNone) {
  WordFinder finder;
  finder.add("token", WordCase::any, 2);
  finder.build();
  EXPECT_TRUE(find(finder, "toke").empty());
  EXPECT_TRUE(find(finder, "to").empty());
  EXPECT_TRUE(find(finder, "").empty());
}

TEST(WordFinder, AgreesWithSearchingForEachWord) {
  WordFinder finder;
  const std::vector<std::string> words = {"abc", "bca", "cab", "aaa", "abcabc"};
  for (std::uint32_t index = 0; index < words.size(); ++index) {
    finder.add(words[index], WordCase::exact, index);
  }
  finder.build();
  std::string text;
  for (unsigned number = 1; text.size() < 4000; number = number * 1103515245U + 12345U) {
    text += static_cast<char>('a' + (number >> 16U) % 3);
  }
  Found expected;
  for (std::size_t position = 0; position < text.size(); ++position) {
    for (std::uint32_t index = 0; index < words.size(); ++index) {
      if (text.compare(position, words[index].size(), words[index]) == 0) {
        expected.emplace_back(position, index);
      }
    }
  }
  EXPECT_THAT(find(finder, text), testing::UnorderedElementsAreArray(expected));
}

}  // namespace
}  // namespace glovebox::redaction
