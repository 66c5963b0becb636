#include "cli/mcp_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <optional>
#include <utility>

#include "mcp/batch.h"

namespace glovebox::cli {
namespace {

constexpr std::size_t kReadBytes = 64U << 10U;
constexpr std::size_t kMostUnreadBytes = 512U << 20U;
constexpr std::uint32_t kChoreWorkers = 2;
constexpr std::uint32_t kLineLength = 8192;
constexpr std::uint32_t kWaitMs = 600'000;
constexpr int kWriteLookMs = 100;
constexpr auto kLastWords = std::chrono::seconds(2);

runner::QueueSettings queue(std::uint32_t workers) {
  runner::QueueSettings settings;
  settings.workers = workers;
  settings.length = kLineLength;
  settings.tenant_length = kLineLength;
  settings.wait_ms = kWaitMs;
  return settings;
}

}  // namespace

class McpPipe::Channel final : public mcp::Channel {
 public:
  explicit Channel(McpPipe& pipe) : pipe_(pipe) {}
  [[nodiscard]] bool can_send() const override { return true; }
  void send(std::string message) override { pipe_.write(std::move(message)); }
  void answer(mcp::Answer answer) override { pipe_.write(std::move(answer.message)); }
  void leave_unanswered() override {}

 private:
  McpPipe& pipe_;
};

// The one who started us may do everything here.
class McpPipe::Host final : public mcp::Host {
 public:
  explicit Host(McpPipe& pipe) : pipe_(pipe) {}
  [[nodiscard]] const runner::Caller& caller() const override { return caller_; }
  [[nodiscard]] bool may_approve() const override { return true; }
  [[nodiscard]] bool may_read() const override { return true; }
  [[nodiscard]] base::Status line_up(std::string flight, runner::Dispatcher::Job job) override {
    return pipe_.programs_.submit(caller_.tenant, 0, std::move(flight), std::move(job));
  }
  [[nodiscard]] base::Status chore(runner::Dispatcher::Job job) override {
    return pipe_.chores_.submit(caller_.tenant, 0, "", std::move(job));
  }
  [[nodiscard]] contract::RunResult run(const contract::RunRequest& /*request*/, runner::RunOptions options,
                                        const Execute& execute) override {
    options.run_id = runner::new_run_id();
    return execute(options);
  }

 private:
  McpPipe& pipe_;
  const runner::Caller caller_;
};

McpPipe::McpPipe(mcp::SandboxServer& sandbox) : sandbox_(sandbox), chores_(queue(kChoreWorkers)), programs_(queue(0)) {}

McpPipe::~McpPipe() {
  session_->cancel_all();
  sandbox_.server().listeners().end_all();
  sandbox_.stop();
  // A chore may line up a run: so they end in this order, and nothing is answered afterwards.
  programs_.stop();
  chores_.stop();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (writer_.joinable()) {
    writer_.join();
  }
}

base::Status McpPipe::open() {
  // Messages get a descriptor of their own; what is printed by accident goes where it does no harm.
  output_ = base::Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!output_.valid() || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return base::fail(base::errno_error(base::ErrorCode::internal_error, "", "standard output cannot be used"));
  }
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGHUP);
  signals_ = base::Fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_.valid()) {
    return base::fail(base::errno_error(base::ErrorCode::internal_error, "", "signals cannot be read"));
  }
  session_->set_news([this](std::string message) { write(std::move(message)); });
  writer_ = std::thread([this] { write_out(); });
  return {};
}

base::Status McpPipe::run() {
  TRY_STATUS(open());
  std::array<char, kReadBytes> buffer{};
  while (true) {
    std::array<pollfd, 2> wanted = {pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{signals_.get(), POLLIN, 0}};
    if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) {
      return base::fail(base::errno_error(base::ErrorCode::internal_error, "", "cannot wait for standard input"));
    }
    if (wanted[1].revents != 0) {
      return {};
    }
    if (wanted[0].revents == 0) {
      continue;
    }
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got == 0) {
      return {};
    }
    if (got < 0 && errno != EINTR && errno != EAGAIN) {
      return base::fail(base::errno_error(base::ErrorCode::internal_error, "", "cannot read standard input"));
    }
    if (got > 0) {
      take({buffer.data(), static_cast<std::size_t>(got)});
    }
  }
}

void McpPipe::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::string_view part = bytes.substr(0, newline);
    if (!too_long_) {
      pending_.append(part);
    }
    if (pending_.size() > mcp::kMaxMessageBytes) {
      too_long_ = true;
      pending_ = {};
    }
    if (newline == bytes.npos) {
      return;
    }
    bytes.remove_prefix(newline + 1);
    if (std::exchange(too_long_, false)) {
      write(mcp::Server::refusal({"null", {mcp::kInvalidRequest, "the message is too long"}}).message);
    } else {
      line(pending_);
    }
    pending_.clear();
  }
}

void McpPipe::line(std::string_view text) {
  if (text.find_first_not_of(" \t\r") == text.npos) {
    return;
  }
  mcp::Origin origin;
  origin.session = session_;
  origin.channel = std::make_shared<Channel>(*this);
  origin.host = std::make_shared<Host>(*this);
  if (mcp::looks_like_batch(text) && mcp::takes_batches(*session_)) {
    (void)mcp::receive_batch(sandbox_.server(), text, origin);
    return;
  }
  auto message = mcp::parse_message(text);
  if (!message) {
    return write(mcp::Server::refusal(message.error()).message);
  }
  origin.cancel = std::make_shared<const engine::CancelToken>();
  sandbox_.server().receive(std::move(*message), std::move(origin));
}

void McpPipe::write(std::string message) {
  {
    const std::lock_guard lock(mutex_);
    bytes_ += message.size();
    broken_ = broken_ || bytes_ > kMostUnreadBytes;
    if (broken_) {
      messages_.clear();
      return;
    }
    messages_.push_back(std::move(message));
  }
  changed_.notify_all();
}

// A pipe that is ready takes PIPE_BUF bytes without blocking, so a client that does not read cannot hold us at the end.
bool McpPipe::write_some(std::string_view text) {
  std::optional<std::chrono::steady_clock::time_point> until;
  while (!text.empty()) {
    pollfd ready{output_.get(), POLLOUT, 0};
    const int count = ::poll(&ready, 1, kWriteLookMs);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    if (count <= 0) {
      const std::lock_guard lock(mutex_);
      const auto now = std::chrono::steady_clock::now();
      until = ends_ && !until ? now + kLastWords : until;
      if (until && now > *until) {
        return false;
      }
      continue;
    }
    const ssize_t wrote = ::write(output_.get(), text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (wrote < 0 && errno != EINTR && errno != EAGAIN) {
      return false;
    }
    text.remove_prefix(wrote > 0 ? static_cast<std::size_t>(wrote) : 0);
  }
  return true;
}

void McpPipe::write_out() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !messages_.empty(); });
    if (messages_.empty()) {
      return;
    }
    std::string text;
    while (!messages_.empty() && text.size() < kReadBytes) {
      text.append(messages_.front()).append("\n");
      bytes_ -= messages_.front().size();
      messages_.pop_front();
    }
    lock.unlock();
    const bool written = write_some(text);
    lock.lock();
    if (!written) {
      broken_ = true;
      messages_.clear();
      return;
    }
  }
}

}  // namespace glovebox::cli
