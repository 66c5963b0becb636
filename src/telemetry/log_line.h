// One line of the log as text, within a bound.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "telemetry/log.h"

namespace glovebox::telemetry {

// "2026-01-31T12:00:00.000001Z"
[[nodiscard]] std::string format_time(std::chrono::system_clock::time_point time);

// Fields that no longer fit are left out or cut; the line then ends with truncated=true.
class LogLine {
 public:
  static constexpr std::size_t kMostBytes = 4096;  // PIPE_BUF: a pipe takes that much whole, or nothing

  explicit LogLine(LogFormat format) : format_(format) {}

  void add(const LogField& field);
  // With its newline; the line is spent.
  [[nodiscard]] std::string take();

 private:
  [[nodiscard]] std::string unique_key(std::string_view key) const;
  [[nodiscard]] std::string format_value(const LogField& field, std::size_t room);

  LogFormat format_;
  std::string text_;
  std::string keys_;  // those taken, each between newlines
  bool truncated_ = false;
};

}  // namespace glovebox::telemetry
