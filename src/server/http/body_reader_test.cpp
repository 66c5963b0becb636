#include "server/http/body_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace glovebox::http {
namespace {

struct ReadBody {
  bool refused = false;
  bool complete = false;
  std::string body;
  std::string rest;
};

ReadBody read(BodyReader reader, std::string_view bytes, std::size_t piece = 1) {
  ReadBody result;
  while (true) {
    const auto used = reader.read(result.rest, [&](std::string_view part) {
      EXPECT_FALSE(part.empty());
      result.body += part;
      return std::optional<Refusal>();
    });
    if (!used.has_value()) {
      EXPECT_EQ(used.error().status, 400);
      result.refused = true;
      return result;
    }
    result.rest.erase(0, *used);
    if (bytes.empty() || reader.complete()) {
      result.rest += bytes;
      result.complete = reader.complete() || reader.finish_at_eof();
      return result;
    }
    result.rest += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
}

TEST(BodyReader, EndsWhereTheLengthSays) {
  for (const std::size_t piece : {1U, 3U, 100U}) {
    const ReadBody exact = read(BodyReader::sized(5), "hello world", piece);
    EXPECT_TRUE(exact.complete);
    EXPECT_EQ(exact.body + exact.rest, "hello world");
    EXPECT_EQ(exact.body, "hello");
  }
  EXPECT_FALSE(read(BodyReader::sized(5), "hell").complete);
  EXPECT_TRUE(read(BodyReader(), "").complete);
  EXPECT_TRUE(read(BodyReader::sized(0), "").complete);
}

TEST(BodyReader, EndsWithTheConnectionIfNothingElseIsSaid) {
  const ReadBody all = read(BodyReader::to_eof(), "everything");
  EXPECT_EQ(all.body, "everything");
  EXPECT_TRUE(all.complete);
}

TEST(BodyReader, PutsChunksTogetherHoweverTheyAreCut) {
  const std::string_view bytes =
      "5\r\nhello\r\n001;a=\"b\";c\r\n \r\nA\r\n0123456789\r\n000;x\r\nA: b\r\nC:\r\n\r\nrest";
  for (const std::size_t piece : {1U, 2U, 3U, 5U, 8U, 1000U}) {
    const ReadBody whole = read(BodyReader::chunked(), bytes, piece);
    EXPECT_FALSE(whole.refused);
    EXPECT_TRUE(whole.complete);
    EXPECT_EQ(whole.body, "hello 0123456789");
    EXPECT_EQ(whole.rest, "rest");
  }
}

TEST(BodyReader, RefusesChunksThatCouldBeReadInTwoWays) {
  for (const std::string_view bytes : {"\r\n",
                                       "\n",
                                       ";\r\n",
                                       "g\r\n",
                                       "-1\r\n",
                                       "+1\r\n",
                                       "0x1\r\n",
                                       " 1\r\n",
                                       "1 \r\n",
                                       "1 ;a\r\n",
                                       "1\n",
                                       "1\r\r\n",
                                       "1;\x01\r\n",
                                       "1000000000000000\r\n",
                                       "0000000000000000\r\n",
                                       "1\r\nab",
                                       "1\r\na\n",
                                       "1\r\na\rb",
                                       "0\r\n:x\r\n",
                                       "0\r\nno colon\r\n",
                                       "0\r\n a: b\r\n",
                                       "0\r\na: b\n",
                                       "0\r\ncontent-length: 1\r\n",
                                       "0\r\nTransfer-Encoding: x\r\n"}) {
    EXPECT_TRUE(read(BodyReader::chunked(), bytes).refused) << bytes;
    EXPECT_TRUE(read(BodyReader::chunked(), bytes, 1000).refused) << bytes;
  }
}

TEST(BodyReader, BoundsWhatIsNotBody) {
  EXPECT_TRUE(read(BodyReader::chunked(), "1;" + std::string(5000, 'a'), 100).refused);
  EXPECT_TRUE(read(BodyReader::chunked(), std::string(5000, '0'), 100).refused);
  std::string extensions;
  std::string trailers = "0\r\n";
  for (int index = 0; index < 200; ++index) {
    extensions += "1;" + std::string(100, 'a') + "\r\nx\r\n";
    trailers += "A: " + std::string(100, 'a') + "\r\n";
  }
  EXPECT_TRUE(read(BodyReader::chunked(), extensions).refused);
  EXPECT_TRUE(read(BodyReader::chunked(), trailers).refused);
}

}  // namespace
}  // namespace glovebox::http
