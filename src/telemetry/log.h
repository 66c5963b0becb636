// The log of a program: one event, one line, JSON or logfmt, to one descriptor.
//
// A line is at most PIPE_BUF bytes and written by one write(2): lines of several threads, and of several processes that
// share a pipe, never mix. What comes from outside cannot forge a line or a field: control characters, quotes, and
// characters that disguise text are escaped, malformed UTF-8 is replaced, keys are reduced to harmless letters. Long
// values are cut, and the line says so with truncated=true.
//
// Logging never holds the program up: a pipe that is full or has no reader loses the line, and the next line that gets
// through says how many were lost (dropped=N). Programs that log ignore SIGPIPE.
//
// Only programs log (the server, the command line). Libraries return Errors.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace glovebox::telemetry {

enum class LogLevel { debug, info, warn, error };
enum class LogFormat { json, logfmt };
[[nodiscard]] std::string_view to_string(LogLevel level);
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view name);
[[nodiscard]] std::optional<LogFormat> parse_log_format(std::string_view name);

struct LogField {
  std::string_view key;
  std::variant<bool, std::int64_t, std::uint64_t, double, std::string_view> value;

  // One constructor per type: a literal must not become a bool, nor an int be ambiguous.
  LogField(std::string_view name, bool given) : key(name), value(given) {}
  LogField(std::string_view name, int given) : key(name), value(std::int64_t{given}) {}
  LogField(std::string_view name, std::int64_t given) : key(name), value(given) {}
  LogField(std::string_view name, std::uint64_t given) : key(name), value(given) {}
  LogField(std::string_view name, double given) : key(name), value(given) {}
  LogField(std::string_view name, std::string_view given) : key(name), value(given) {}
  LogField(std::string_view name, const std::string& given) : key(name), value(std::string_view(given)) {}
  LogField(std::string_view name, const char* given) : key(name), value(std::string_view(given)) {}
};

// What the event belongs to; empty ones are left out.
struct LogSubject {
  std::string_view run_id;
  std::string_view trace_id;
  std::string_view span_id;
};

struct LogOptions {
  LogLevel level = LogLevel::info;  // and above
  LogFormat format = LogFormat::json;
  std::function<std::chrono::system_clock::time_point()> clock = std::chrono::system_clock::now;
};

class Logger {
 public:
  // `fd` is not owned, and its flags are left alone: it may be somebody else's terminal.
  Logger(int fd, LogOptions options);

  [[nodiscard]] bool enabled(LogLevel level) const { return level >= options_.level; }
  void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {},
           const LogSubject& subject = {});

  // Lines lost so far.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  enum class Sink { pipe, socket, other };
  // False: the line is lost.
  [[nodiscard]] bool write_line(std::string_view line);

  const int fd_;
  const LogOptions options_;
  Sink sink_ = Sink::other;
  std::mutex mutex_;  // one line at a time
  std::atomic<std::uint64_t> dropped_ = 0;
  std::uint64_t unreported_ = 0;  // of dropped_, not yet told
  bool torn_ = false;             // the last write stopped in the middle of a line
};

}  // namespace glovebox::telemetry
