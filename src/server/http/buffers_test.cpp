#include "server/http/buffers.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace glovebox::http {
namespace {

void fill(InputBuffer& buffer, std::size_t capacity, std::string_view text) {
  const auto room = buffer.prepare(capacity);
  ASSERT_GE(room.size(), text.size());
  std::copy(text.begin(), text.end(), room.begin());
  buffer.commit(text.size());
}

TEST(InputBuffer, KeepsWhatWasNotConsumed) {
  InputBuffer buffer;
  fill(buffer, 8, "abcdefgh");
  EXPECT_TRUE(buffer.prepare(8).empty());
  buffer.consume(6);
  fill(buffer, 8, "ijklmn");
  EXPECT_EQ(buffer.view(), "ghijklmn");
  fill(buffer, 16, "o");
  EXPECT_EQ(buffer.view(), "ghijklmno");
  EXPECT_TRUE(buffer.prepare(4).empty());
  EXPECT_EQ(buffer.view(), "ghijklmno");
}

TEST(InputBuffer, CanBeConsumedWhileARoomIsOut) {
  InputBuffer buffer;
  fill(buffer, 8, "abc");
  const auto room = buffer.prepare(8);
  buffer.consume(3);
  EXPECT_TRUE(buffer.empty());
  room[0] = 'd';
  buffer.commit(1);
  EXPECT_EQ(buffer.view(), "d");
}

std::string drain(OutputQueue& queue, std::size_t step) {
  std::string out;
  while (!queue.empty()) {
    const auto pieces = queue.pieces();
    if (!pieces.has_value()) {
      return out + "!";
    }
    std::size_t left = step;
    for (const std::string_view piece : *pieces) {
      out += piece.substr(0, left);
      left -= std::min(left, piece.size());
    }
    queue.consume(step - left);
  }
  return out;
}

TEST(OutputQueue, SendsEverythingInOrderHoweverLittleGoesOut) {
  for (const std::size_t step : {1U, 3U, 1000U}) {
    OutputQueue queue;
    std::string expected;
    for (int index = 0; index < 20; ++index) {
      queue.push(std::string(static_cast<std::size_t>(index), static_cast<char>('a' + index)));
      expected += std::string(static_cast<std::size_t>(index), static_cast<char>('a' + index));
    }
    EXPECT_EQ(drain(queue, step), expected);
  }
}

TEST(OutputQueue, SendsAPartOfAFileAndNoticesAShortOne) {
  for (const std::uint64_t length : {6U, 9U}) {
    base::Fd file(::memfd_create("test", MFD_CLOEXEC));
    ASSERT_EQ(::write(file.get(), "0123456789", 10), 10);
    OutputQueue queue;
    queue.push("head ");
    queue.push_file({std::move(file), 4, length});
    EXPECT_EQ(drain(queue, 4), length == 6 ? "head 456789" : "head 456789!");
  }
}

}  // namespace
}  // namespace glovebox::http
