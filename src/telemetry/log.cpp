#include "telemetry/log.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "telemetry/log_line.h"

namespace glovebox::telemetry {
namespace {

constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warn", "error"};

bool takes_more(int fd) {
  pollfd poll{fd, POLLOUT, 0};
  // POLLERR on a pipe: nobody reads any more, and a write would raise SIGPIPE.
  return ::poll(&poll, 1, 0) == 1 && (poll.revents & POLLOUT) != 0 && (poll.revents & (POLLERR | POLLNVAL)) == 0;
}

// Another process may fill the pipe between poll and write, so a pipe is written to without waiting where the kernel
// can. A file would refuse that for no good reason.
ssize_t write_to_pipe(int fd, std::string_view bytes) {
  iovec piece{const_cast<char*>(bytes.data()), bytes.size()};  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  const ssize_t written = ::pwritev2(fd, &piece, 1, -1, RWF_NOWAIT);
  if (written < 0 && (errno == EOPNOTSUPP || errno == EINVAL || errno == ENOSYS)) {
    return ::write(fd, bytes.data(), bytes.size());
  }
  return written;
}

}  // namespace

std::string_view to_string(LogLevel level) { return kLevels.at(static_cast<std::size_t>(level)); }

std::optional<LogLevel> parse_log_level(std::string_view name) {
  if (name == "warning") {
    return LogLevel::warn;
  }
  for (std::size_t index = 0; index < kLevels.size(); ++index) {
    if (kLevels[index] == name) {
      return static_cast<LogLevel>(index);
    }
  }
  return std::nullopt;
}

std::optional<LogFormat> parse_log_format(std::string_view name) {
  if (name == "json") {
    return LogFormat::json;
  }
  return name == "logfmt" ? std::optional(LogFormat::logfmt) : std::nullopt;
}

Logger::Logger(int fd, LogOptions options) : fd_(fd), options_(std::move(options)) {
  struct stat status {};
  if (::fstat(fd_, &status) == 0) {
    sink_ = S_ISFIFO(status.st_mode) ? Sink::pipe : S_ISSOCK(status.st_mode) ? Sink::socket : Sink::other;
  }
}

void Logger::log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields,
                 const LogSubject& subject) {
  if (!enabled(level)) {
    return;
  }
  const std::string time = format_time(options_.clock());
  const std::lock_guard lock(mutex_);
  LogLine line(options_.format);
  // Ours first: a field of the same name gets another one, and nothing long can push them out.
  line.add({"time", time});
  line.add({"level", to_string(level)});
  if (unreported_ > 0) {
    line.add({"dropped", unreported_});
  }
  for (const auto& [key, value] : {std::pair("run_id", subject.run_id), std::pair("trace_id", subject.trace_id),
                                   std::pair("span_id", subject.span_id)}) {
    if (!value.empty()) {
      line.add({key, value});
    }
  }
  line.add({"message", message});
  for (const LogField& field : fields) {
    line.add(field);
  }
  if (write_line(line.take())) {
    unreported_ = 0;
  } else {
    ++unreported_;
    dropped_.fetch_add(1, std::memory_order_relaxed);
  }
}

bool Logger::write_line(std::string_view line) {
  std::string mended;
  if (torn_) {
    mended = "\n" + std::string(line);
    line = mended;
  }
  if (sink_ != Sink::socket && !takes_more(fd_)) {
    return false;
  }
  ssize_t written = -1;
  do {
    written = sink_ == Sink::socket ? ::send(fd_, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
              : sink_ == Sink::pipe ? write_to_pipe(fd_, line)
                                    : ::write(fd_, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written <= 0) {
    return false;
  }
  torn_ = static_cast<std::size_t>(written) < line.size();
  return !torn_;
}

}  // namespace glovebox::telemetry
