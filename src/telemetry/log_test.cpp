#include "telemetry/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "base/build_speed.h"
#include "base/fd.h"
#include "base/utf8.h"
#include "telemetry/log_line.h"

namespace glovebox::telemetry {
namespace {

using base::Fd;
using nlohmann::json;
using std::chrono::system_clock;

struct Pipe {
  Fd read;
  Fd write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);  // the reader's end; the logger's blocks, as a shell's does
  return {Fd(ends[0]), Fd(ends[1])};
}

std::string drain(const Fd& fd) {
  std::string text;
  std::array<char, 65536> piece{};
  ssize_t got = 0;
  while ((got = ::read(fd.get(), piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  EXPECT_TRUE(text.empty() || text.back() == '\n');
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

LogOptions options_for(LogFormat format) {
  LogOptions options;
  options.format = format;
  options.clock = [] { return system_clock::time_point(std::chrono::microseconds(1'700'000'000'000'042)); };
  return options;
}

// What one event becomes.
std::string logged(LogFormat format, std::string_view message, std::initializer_list<LogField> fields,
                   const LogSubject& subject = {}) {
  const Pipe pipe = make_pipe();
  Logger(pipe.write.get(), options_for(format)).log(LogLevel::info, message, fields, subject);
  return drain(pipe.read);
}

// Keys that come twice are an error, as is anything that is not one JSON object.
json parse_strictly(const std::string& line) {
  std::set<std::string> keys;
  const json::parser_callback_t no_duplicates = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key) {
      EXPECT_TRUE(keys.insert(parsed.get<std::string>()).second) << line;
    }
    return true;
  };
  const json object = json::parse(line, no_duplicates, false);
  EXPECT_TRUE(object.is_object()) << line;
  return object;
}

TEST(Log, WritesJson) {
  const std::string line = logged(
      LogFormat::json, "run done",
      {{"text", "a b"}, {"count", 3}, {"big", std::uint64_t{18446744073709551615U}}, {"ms", 1.5}, {"warm", true}},
      {"run_1", "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"});
  EXPECT_EQ(line,
            "{\"time\":\"2023-11-14T22:13:20.000042Z\",\"level\":\"info\",\"run_id\":\"run_1\","
            "\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\",\"span_id\":\"00f067aa0ba902b7\","
            "\"message\":\"run done\",\"text\":\"a b\",\"count\":3,\"big\":18446744073709551615,\"ms\":1.5,"
            "\"warm\":true}\n");
}

TEST(Log, WritesLogfmt) {
  EXPECT_EQ(logged(LogFormat::logfmt, "run done",
                   {{"bare", "a/b:c"}, {"empty", ""}, {"quoted", "say \"hi\" \\ x=y"}, {"count", -3}, {"warm", false}}),
            "time=2023-11-14T22:13:20.000042Z level=info message=\"run done\" bare=a/b:c empty=\"\" "
            "quoted=\"say \\\"hi\\\" \\\\ x=y\" count=-3 warm=false\n");
}

TEST(Log, CannotBeForged) {
  const std::vector<std::string> attacks = {
      "x\n{\"level\":\"error\",\"message\":\"forged\"}",
      "x\r\nlevel=error message=forged",
      "\",\"level\":\"error\",\"x\":\"",
      "\" level=error x=\"",
      "\\\",\"level\":\"error",
      "\\",
      "trailing backslash \\",
      std::string("nul\0byte", 8),
      "\x1b[2J\x1b]0;title\x07 and \x9b",
      "\x7f\x08\x08\x08",
      "line\xe2\x80\xa8separator\xe2\x80\xa9paragraph\xc2\x85next",
      "bidi \xe2\x80\xae override",
      "overlong \xc0\xaf lone \x80 cut \xe2\x82",
      "surrogate \xed\xa0\x80",
      "tag \xf3\xa0\x80\x81",
      "emoji \xf0\x9f\x98\x80 \xc3\xbc",
  };
  for (const std::string& attack : attacks) {
    for (const LogFormat format : {LogFormat::json, LogFormat::logfmt}) {
      const std::string text = logged(format, attack, {{"field", attack}, {attack, "value"}}, {attack, attack, ""});
      ASSERT_EQ(lines_of(text).size(), 1U) << text;
      EXPECT_TRUE(base::is_valid_utf8(text));
      EXPECT_FALSE(base::has_deceptive_characters(std::string_view(text).substr(0, text.size() - 1))) << text;
      EXPECT_EQ(text.find("\xe2\x80\xa8"), std::string::npos);
      if (format == LogFormat::json) {
        const json event = parse_strictly(text);
        EXPECT_EQ(event["level"], "info");
        EXPECT_EQ(event["message"], base::to_valid_utf8(attack)) << "what was said can be read back";
        EXPECT_EQ(event["field"], base::to_valid_utf8(attack));
      }
    }
  }
}

// Splits a line of logfmt as a careful reader would.
std::vector<std::pair<std::string, std::string>> split_logfmt(const std::string& line) {
  std::vector<std::pair<std::string, std::string>> fields;
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t equals = line.find('=', at);
    EXPECT_NE(equals, std::string::npos) << line;
    const std::string key = line.substr(at, equals - at);
    EXPECT_EQ(key.find_first_of(" \"\\"), std::string::npos) << line;
    at = equals + 1;
    std::string value;
    if (at < line.size() && line[at] == '"') {
      const std::size_t begin = at++;
      while (at < line.size() && line[at] != '"') {
        at += line[at] == '\\' ? 2 : 1;
      }
      value = json::parse(line.substr(begin, ++at - begin)).get<std::string>();
    } else {
      while (at < line.size() && line[at] != ' ') {
        value += line[at++];
      }
    }
    fields.emplace_back(key, value);
    EXPECT_TRUE(at >= line.size() || line[at] == ' ') << line;
    ++at;
  }
  return fields;
}

TEST(Log, LogfmtReadsBackFieldByField) {
  for (const std::string& value : {std::string("\" level=error x=\""), std::string("a\nb level=error"),
                                   std::string("\\\" level=error"), std::string("="), std::string(" ")}) {
    const std::string text = logged(LogFormat::logfmt, value, {{"field", value}, {"a b=c", 1}});
    const auto fields = split_logfmt(text.substr(0, text.size() - 1));
    ASSERT_EQ(fields.size(), 5U) << text;
    EXPECT_EQ(fields[1], (std::pair<std::string, std::string>("level", "info")));
    EXPECT_EQ(fields[2], (std::pair<std::string, std::string>("message", value)));
    EXPECT_EQ(fields[3], (std::pair<std::string, std::string>("field", value)));
    EXPECT_EQ(fields[4].first, "a_b_c");
  }
}

TEST(Log, GivesFieldsThatPoseAsOursAnotherName) {
  const json event = parse_strictly(
      logged(LogFormat::json, "real",
             {{"level", "error"}, {"message", "fake"}, {"x", 1}, {"x", 2}, {"truncated", true}, {"", 3}}));
  EXPECT_EQ(event["level"], "info");
  EXPECT_EQ(event["message"], "real");
  EXPECT_EQ(event["level_"], "error");
  EXPECT_EQ(event["x"], 1);
  EXPECT_EQ(event["x_"], 2);
  EXPECT_EQ(event["truncated_"], true);
  EXPECT_EQ(event["_"], 3);
}

TEST(Log, FitsEveryLineIntoAPipesAtom) {
  const std::string huge(1'000'000, '\n');
  const std::string wide = [] {
    std::string text;
    for (int index = 0; index < 5000; ++index) {
      text += "\xf0\x9f\x98\x80";
    }
    return text;
  }();
  for (const LogFormat format : {LogFormat::json, LogFormat::logfmt}) {
    for (const std::string& value : {huge, wide, std::string(5000, 'a'), std::string(5000, '\xff')}) {
      const std::string text = logged(format, value, {{"a", value}, {"b", value}, {"c", value}, {"number", 1234567}});
      EXPECT_LE(text.size(), LogLine::kMostBytes);
      EXPECT_NE(text.find("truncated"), std::string::npos);
      EXPECT_EQ(lines_of(text).size(), 1U);
      if (format == LogFormat::json) {
        const json event = parse_strictly(text);
        EXPECT_EQ(event["truncated"], true);
        EXPECT_TRUE(!event.contains("number") || event["number"] == 1234567) << "half a number";
      }
    }
  }
}

TEST(Log, WritesNumbersThatJsonDoesNotHaveAsNull) {
  const json event = parse_strictly(
      logged(LogFormat::json, "m",
             {{"nan", std::nan("")}, {"inf", std::numeric_limits<double>::infinity()}, {"tiny", 1e-300}}));
  EXPECT_TRUE(event["nan"].is_null());
  EXPECT_TRUE(event["inf"].is_null());
  EXPECT_EQ(event["tiny"], 1e-300);
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  const Pipe pipe = make_pipe();
  LogOptions options = options_for(LogFormat::json);
  options.level = LogLevel::warn;
  Logger logger(pipe.write.get(), options);
  logger.log(LogLevel::debug, "no");
  logger.log(LogLevel::info, "no");
  logger.log(LogLevel::warn, "yes");
  logger.log(LogLevel::error, "yes");
  EXPECT_EQ(lines_of(drain(pipe.read)).size(), 2U);
  EXPECT_EQ(logger.dropped(), 0U);
}

TEST(Log, DropsAndCountsWhenAPipeIsFull) {
  const Pipe pipe = make_pipe();
  Logger logger(pipe.write.get(), options_for(LogFormat::json));
  constexpr int kLines = 5000;  // far more than a pipe of 64 KiB takes
  const auto began = std::chrono::steady_clock::now();
  for (int line = 0; line < kLines; ++line) {
    logger.log(LogLevel::info, "message", {{"line", line}, {"padding", std::string(line % 1000, 'x')}});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5 * base::kSlowness));
  const std::uint64_t dropped = logger.dropped();
  EXPECT_GT(dropped, 0U);
  const auto lines = lines_of(drain(pipe.read));
  for (const std::string& line : lines) {
    (void)parse_strictly(line);
  }
  EXPECT_EQ(lines.size() + dropped, static_cast<std::size_t>(kLines));
  logger.log(LogLevel::info, "again");
  logger.log(LogLevel::info, "and again");
  const auto after = lines_of(drain(pipe.read));
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(parse_strictly(after[0])["dropped"], dropped);
  EXPECT_FALSE(parse_strictly(after[1]).contains("dropped"));
}

TEST(Log, SurvivesAReaderThatWentAway) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe = make_pipe();
  Logger logger(pipe.write.get(), options_for(LogFormat::json));
  pipe.read.reset();
  logger.log(LogLevel::error, "nobody reads this");
  EXPECT_EQ(logger.dropped(), 1U);
  Logger closed(-1, options_for(LogFormat::json));
  closed.log(LogLevel::error, "no descriptor");
  EXPECT_EQ(closed.dropped(), 1U);
  (void)std::signal(SIGPIPE, before);
}

TEST(Log, NeverWaitsForASocket) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Fd reader(ends[0]);
  const Fd writer(ends[1]);
  ::fcntl(reader.get(), F_SETFL, O_NONBLOCK);
  Logger logger(writer.get(), options_for(LogFormat::json));
  for (int line = 0; line < 20'000 && logger.dropped() == 0; ++line) {
    logger.log(LogLevel::info, "message", {{"padding", std::string(1000, 'x')}});
  }
  EXPECT_GT(logger.dropped(), 0U);
  (void)drain(reader);
  // After a line that was cut off the next one starts on a line of its own.
  logger.log(LogLevel::info, "whole");
  const std::string text = drain(reader);
  const std::size_t start = text.rfind('\n', text.size() - 2);
  const json event = parse_strictly(text.substr(start == std::string::npos ? 0 : start + 1));
  EXPECT_EQ(event["message"], "whole");
}

TEST(Log, KeepsLinesOfManyThreadsApart) {
  const Pipe pipe = make_pipe();
  Logger logger(pipe.write.get(), options_for(LogFormat::json));
  std::atomic<bool> done = false;
  std::string text;
  std::thread reader([&] {
    while (!done) {
      text += drain(pipe.read);
    }
    text += drain(pipe.read);
  });
  std::vector<std::thread> writers;
  constexpr int kThreads = 8;
  constexpr int kLines = 300;
  for (int thread = 0; thread < kThreads; ++thread) {
    writers.emplace_back([&, thread] {
      for (int line = 0; line < kLines; ++line) {
        logger.log(LogLevel::info, std::string(100 + thread, static_cast<char>('a' + thread)), {{"line", line}});
      }
    });
  }
  for (auto& writer : writers) {
    writer.join();
  }
  done = true;
  reader.join();
  const auto lines = lines_of(text);
  EXPECT_EQ(lines.size() + logger.dropped(), static_cast<std::size_t>(kThreads * kLines));
  EXPECT_GT(lines.size(), 100U);
  for (const std::string& line : lines) {
    const std::string message = parse_strictly(line)["message"];
    EXPECT_EQ(message, std::string(message.size(), message.front()));
  }
}

TEST(Log, KnowsItsNames) {
  EXPECT_EQ(parse_log_level("warn"), LogLevel::warn);
  EXPECT_EQ(parse_log_level("warning"), LogLevel::warn) << "it is a word of the settings";
  EXPECT_EQ(parse_log_level("WARN"), std::nullopt);
  EXPECT_EQ(to_string(LogLevel::error), "error");
  EXPECT_EQ(parse_log_format("logfmt"), LogFormat::logfmt);
  EXPECT_EQ(parse_log_format("xml"), std::nullopt);
}

}  // namespace
}  // namespace glovebox::telemetry
