#include "engine/supervise/output_capture.h"

#include <gtest/gtest.h>

#include <random>

namespace glovebox::engine {
namespace {

OutputCapture capture(std::uint64_t cap, std::string_view bytes) {
  OutputCapture output(cap);
  output.append(bytes);
  return output;
}

TEST(OutputCapture, KeepsEverythingUpToTheCap) {
  const OutputCapture output = capture(10, "0123456789");
  EXPECT_EQ(output.bytes(), "0123456789");
  EXPECT_EQ(output.total_bytes(), 10U);
  EXPECT_FALSE(output.truncated());
}

TEST(OutputCapture, KeepsHeadAndTailAndSaysHowMuchIsMissing) {
  const OutputCapture output = capture(10, "0123456789abcdefghij");
  EXPECT_EQ(output.bytes(), "01234\n[… 10 bytes omitted …]\nfghij");
  EXPECT_EQ(output.total_bytes(), 20U);
  EXPECT_TRUE(output.truncated());
}

TEST(OutputCapture, OneByteTooManyIsAlreadyTruncated) {
  EXPECT_EQ(capture(10, "0123456789a").bytes(), "01234\n[… 1 bytes omitted …]\n6789a");
}

TEST(OutputCapture, AnOddCapGivesTheHeadTheOddByte) {
  EXPECT_EQ(capture(5, "abcdefgh").bytes(), "abc\n[… 3 bytes omitted …]\ngh");
}

TEST(OutputCapture, ACapOfZeroCountsAndKeepsNothing) {
  OutputCapture output(0);
  EXPECT_EQ(output.bytes(), "");
  EXPECT_FALSE(output.truncated());
  output.append("");
  output.append("abc");
  output.append("de");
  EXPECT_EQ(output.total_bytes(), 5U);
  EXPECT_EQ(output.bytes(), "\n[… 5 bytes omitted …]\n");
}

TEST(OutputCapture, ACapOfOneKeepsTheFirstByte) { EXPECT_EQ(capture(1, "ab").bytes(), "a\n[… 1 bytes omitted …]\n"); }

TEST(OutputCapture, TheWayTheBytesArriveDoesNotMatter) {
  std::mt19937 random(20240901);
  std::string stream;
  for (int index = 0; index < 3000; ++index) {
    stream += static_cast<char>('a' + random() % 26);
  }
  for (const std::uint64_t cap : {2U, 3U, 7U, 64U, 255U, 1000U, 2999U, 3000U, 5000U}) {
    const std::string whole = capture(cap, stream).bytes();
    for (const std::size_t largest : {1U, 2U, 5U, 33U, 500U}) {
      OutputCapture output(cap);
      for (std::size_t at = 0; at < stream.size();) {
        const std::size_t size = std::min<std::size_t>(random() % largest + 1, stream.size() - at);
        output.append(std::string_view(stream).substr(at, size));
        at += size;
      }
      ASSERT_EQ(output.bytes(), whole) << "cap " << cap << ", pieces up to " << largest;
      ASSERT_EQ(output.total_bytes(), stream.size());
    }
  }
}

TEST(OutputCapture, GivesAWatcherTheRestOfWhatItSaw) {
  const OutputCapture output = capture(10, "0123456789abcdefghij");
  EXPECT_EQ(output.remainder(10), "\n[… 5 bytes omitted …]\nfghij");
  EXPECT_EQ(output.remainder(15), "fghij") << "no gap, no marker";
  EXPECT_EQ(output.remainder(17), "hij");
  EXPECT_EQ(output.remainder(20), "");
  EXPECT_EQ(capture(10, "0123456789").remainder(10), "");
}

TEST(OutputCapture, KeepsNoMoreThanItsCapOfAFlood) {
  OutputCapture output(1000);
  const std::string piece(64U << 10U, 'x');
  for (int round = 0; round < 100; ++round) {
    output.append(piece);
  }
  EXPECT_LT(output.bytes().size(), 1100U);
  EXPECT_EQ(output.total_bytes(), 100U * piece.size());
}

}  // namespace
}  // namespace glovebox::engine
