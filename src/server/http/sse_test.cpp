#include "server/http/sse.h"

#include <gtest/gtest.h>

#include <vector>

namespace glovebox::http {
namespace {

std::vector<ServerSentEvent> read_in_pieces(std::string_view text, std::size_t piece) {
  EventReader reader;
  std::vector<ServerSentEvent> events;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    EXPECT_TRUE(reader.feed(text.substr(at, piece), [&](const ServerSentEvent& event) {
      events.push_back(event);
      return true;
    }));
  }
  return events;
}

TEST(ServerSentEvents, WhatIsWrittenIsRead) {
  const std::vector<ServerSentEvent> events = {{"stdout", "one\n\ntwo", "1"}, {"", "", ""}, {"end", " x: y", "2"}};
  std::string text;
  for (const auto& event : events) {
    text += format_event(event);
  }
  for (const std::size_t piece : {1, 2, 3, 7, 1000}) {
    EXPECT_EQ(read_in_pieces(text, piece), events) << piece;
  }
}

TEST(ServerSentEvents, EveryLineEndingAndCommentIsUnderstood) {
  const std::vector<ServerSentEvent> expected = {{"a", "1", ""}, {"", "2\n3", ""}};
  for (const std::size_t piece : {1, 2, 5, 1000}) {
    EXPECT_EQ(read_in_pieces(": hello\r\nevent:a\r\ndata:1\r\n\r\n: keep-alive\n\ndata: 2\rdata:3\r\r", piece),
              expected);
  }
}

TEST(ServerSentEvents, AnEventCannotForgeAnother) {
  EXPECT_EQ(format_event({"a\nevent: b", "x\r\rdata: y", "1\r2"}),
            "id: 1\nevent: a\ndata: x\ndata: \ndata: data: y\n\n");
}

TEST(ServerSentEvents, AnEndlessEventIsRefused) {
  EventReader reader(100);
  const auto ignore = [](const ServerSentEvent&) { return true; };
  EXPECT_TRUE(reader.feed("data: " + std::string(90, 'x'), ignore));
  EXPECT_FALSE(reader.feed(std::string(20, 'x'), ignore));
  EventReader lines(100);
  bool refused = false;
  for (int line = 0; line < 100 && !refused; ++line) {
    refused = !lines.feed("data: xx\n", ignore);
  }
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace glovebox::http
