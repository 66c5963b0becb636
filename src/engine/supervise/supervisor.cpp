#include "engine/supervise/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>

#include "base/stopwatch.h"
#include "engine/launcher/cell_messages.h"
#include "engine/supervise/process_tree.h"
#include "engine/supervise/refused_calls.h"
#include "os/calls.h"
#include "os/packets.h"

namespace glovebox::engine {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr auto kBuildPatience = std::chrono::seconds(10);
constexpr auto kDeathPatience = std::chrono::seconds(5);
constexpr auto kSuperviseTick = milliseconds(20);
constexpr auto kShortestTick = milliseconds(2);
constexpr std::size_t kPumpBytes = 64U << 10U;
// A program may print more than is kept; one that floods is stopped.
constexpr std::uint64_t kFloodFactor = 16;
constexpr std::uint64_t kFloodFloor = 16U << 20U;
// Less free space than a page means that a write has failed or is about to.
constexpr std::uint64_t kPageBytes = 4096;

class Supervision {
 public:
  Supervision(SupervisedCell cell, const SupervisionOptions& options)
      : cell_(std::move(cell)), options_(options), refused_(*options.filter), born_(Clock::now()) {
    report_.standard_output = OutputCapture(options.limits.output_bytes);
    report_.standard_error = OutputCapture(options.limits.output_bytes);
    deadline_ = born_ + kBuildPatience;
    next_tick_ = deadline_;
  }

  SupervisionReport run() {
    if (cell_.waiting) {
      start_waiting_cell();
    }
    // A waiting cell is done when it is empty; its remains are somebody else's business. Others are watched to the end.
    while (!dead_ && !(empty_ && cell_.waiting)) {
      wait_for_news();
    }
    drain();
    finish();
    report_.process = std::move(cell_.process);
    return std::move(report_);
  }

 private:
  enum Slot : std::size_t { kSocket, kOut, kErr, kPid, kListener, kCancel, kSlots };

  void wait_for_news() {
    const auto now = Clock::now();
    std::array<pollfd, kSlots> polls{};
    polls[kSocket] = {cell_.socket.get(), POLLIN, 0};
    polls[kOut] = {cell_.standard_output.get(), POLLIN, 0};
    polls[kErr] = {cell_.standard_error.get(), POLLIN, 0};
    polls[kPid] = {cell_.process.pidfd.get(), POLLIN, 0};
    polls[kListener] = {refused_.pollable(now), POLLIN, 0};
    polls[kCancel] = {options_.cancel != nullptr && !killed_ ? options_.cancel->fd() : -1, POLLIN, 0};
    auto wake = std::min(deadline_, next_tick_);
    if (const auto resume = refused_.resumes_at(now); resume) {
      wake = std::min(wake, *resume);
    }
    const auto wait = std::chrono::duration_cast<microseconds>(std::max(wake - now, Clock::duration::zero()));
    timespec timeout{};
    timeout.tv_sec = wait.count() / 1'000'000;
    timeout.tv_nsec = wait.count() % 1'000'000 * 1000;
    if (::ppoll(polls.data(), polls.size(), &timeout, nullptr) < 0) {
      return;  // EINTR
    }
    if (polls[kListener].revents != 0 && ((polls[kListener].revents & POLLIN) == 0 || !refused_.answer_one(now))) {
      refused_.stop();
    }
    if (polls[kSocket].revents != 0) {
      read_message();
    }
    if (polls[kOut].revents != 0) {
      pump(cell_.standard_output, report_.standard_output, contract::EventKind::standard_output);
    }
    if (polls[kErr].revents != 0) {
      pump(cell_.standard_error, report_.standard_error, contract::EventKind::standard_error);
      note_disk();
    }
    if (polls[kPid].revents != 0) {
      dead_ = true;
      died_ = Clock::now();
    }
    if (polls[kCancel].revents != 0) {
      end_with(Verdict::cancelled);
    }
    check_time();
  }

  void check_time() {
    const auto now = Clock::now();
    if (dead_) {
      return;
    }
    if (now >= deadline_) {
      if (killed_) {
        note_failure(
            base::make_error(base::ErrorCode::internal_error, "the cell did not die within 5 s of being killed"));
        dead_ = true;
        return;
      }
      if (!started_) {
        note_failure(base::make_error(base::ErrorCode::setup_failed, "the cell was not ready within 10 s"));
        kill_all();
        return;
      }
      end_with(Verdict::wall);
      return;
    }
    if (now >= next_tick_ && started_) {
      check_usage(now);
    }
  }

  // CPU, and what the kernel does not tell by itself: kills for memory on v1, refused forks, and in the degraded mode
  // everything.
  void check_usage(Clock::time_point now) {
    measure();
    const contract::Limits& limits = options_.limits;
    if (report_.oom_kills > 0 || (cell_.poll_memory && report_.peak_memory_bytes > limits.memory_bytes)) {
      end_with(Verdict::memory);
    } else if (report_.refused_forks > 0 || (cell_.poll_processes && report_.peak_processes > limits.processes)) {
      end_with(Verdict::processes);
    } else if (report_.cpu_us >= limits.cpu_ms * 1000) {
      end_with(Verdict::cpu);
    }
    // Not later than the CPU limit can be reached with all of the cell's share.
    const std::uint64_t left_us = limits.cpu_ms * 1000 > report_.cpu_us ? limits.cpu_ms * 1000 - report_.cpu_us : 0;
    const auto earliest = microseconds(left_us * 100 / std::max<std::uint64_t>(limits.cpu_percent, 100));
    next_tick_ = now + std::clamp<Clock::duration>(earliest, kShortestTick, kSuperviseTick);
  }

  void measure() {
    const os::CgroupUsage usage = cell_.cgroup->usage();
    report_.oom_kills = usage.oom_kills;
    report_.refused_forks = usage.refused_forks;
    report_.peak_memory_bytes = std::max(report_.peak_memory_bytes, usage.peak_memory_bytes.value_or(0));
    report_.peak_processes = std::max(report_.peak_processes, usage.peak_processes.value_or(0));
    report_.cpu_us = std::max(report_.cpu_us, usage.cpu_us.value_or(0));
    if (!dead_ && (cell_.poll_memory || cell_.poll_processes || !usage.cpu_us)) {
      const TreeUsage tree = measure_tree(cell_.process.pid);
      report_.cpu_us = std::max(report_.cpu_us, usage.cpu_us ? 0 : tree.cpu_us);
      if (cell_.poll_memory) {
        report_.peak_memory_bytes =
            std::max(report_.peak_memory_bytes, tree.memory_bytes + report_.scratch.usage().used_bytes);
      }
      if (cell_.poll_processes) {
        report_.peak_processes = std::max(report_.peak_processes, tree.tasks);
      }
    }
    note_disk();
  }

  // At every tick, at the end, and whenever the program complains: a file without a name that fills the disk is gone
  // with the program, but still there while it says so.
  void note_disk() {
    if (!report_.scratch.valid()) {
      return;
    }
    const ScratchUsage usage = report_.scratch.usage();
    report_.peak_written_bytes =
        std::max(report_.peak_written_bytes, usage.used_bytes - std::min(usage.used_bytes, input_bytes_));
    report_.disk_full = report_.disk_full || usage.free_bytes < kPageBytes;
    report_.inodes_full = report_.inodes_full || usage.free_inodes == 0;
  }

  // False when there is nothing more to read for now.
  bool read_message() {
    CellMessage message;
    os::ReceivedFds received;
    const ssize_t size = os::receive_packet(cell_.socket.get(), &message, sizeof(message), received, MSG_DONTWAIT);
    std::vector<base::Fd> fds;
    for (std::size_t index = 0; index < received.count; ++index) {
      fds.emplace_back(received.fds[index]);
    }
    if (size < 0 && errno == ECONNRESET) {
      go_unread_ = true;  // told once; what the cell had to say may still lie behind it
      return true;
    }
    if (size <= 0) {
      heard_all_ = size == 0;
      if (size == 0 || errno != EAGAIN) {
        cell_.socket.reset();
      }
      return false;
    }
    if (size == static_cast<ssize_t>(sizeof(message))) {
      take_message(message, fds);
    }
    return true;
  }

  void take_message(const CellMessage& message, std::vector<base::Fd>& fds) {
    switch (message.kind) {
      case CellMessageKind::scratch:
        if (!started_ && !report_.scratch.valid() && fds.size() == 2) {
          place_inputs(std::move(fds[0]));
        }
        break;
      case CellMessageKind::sealed:
        if (!started_ && report_.scratch.valid() && fds.size() == 1) {
          refused_.listen(std::move(fds[0]));
          report_.identity_ms = static_cast<double>(message.identity_us) / 1000;
          report_.root_ms = static_cast<double>(message.root_us) / 1000;
          report_.sealed_ms = static_cast<double>(message.sealed_us) / 1000;
          report_.image_covered = message.detail == 1;
          start_clock(Clock::time_point(microseconds(message.sealed_at_us)));
        }
        break;
      case CellMessageKind::exited:
        if (started_ && !report_.exit_code && !report_.signal) {
          if (WIFSIGNALED(message.wait_status)) {
            report_.signal = WTERMSIG(message.wait_status);
          } else {
            report_.exit_code = WEXITSTATUS(message.wait_status);
          }
          if (!cell_.waiting) {
            report_.cpu_us = std::max(report_.cpu_us, message.cpu_us);
          }
          rusage_peak_ = message.peak_rss_bytes;
          ended_ = Clock::now();
          const auto remains = static_cast<Remains>(message.detail);
          if (remains == Remains::nothing || (remains == Remains::keeper && may_leave_keeper())) {
            note_empty();
          }
        }
        break;
      case CellMessageKind::emptied:
        note_empty();
        break;
      case CellMessageKind::failed:
        if (!report_.failure && !report_.exit_code) {
          errno = message.sys_errno;
          auto error = base::errno_error(base::ErrorCode::setup_failed, std::string(to_string(message.stage)),
                                         "building the cell failed");
          error.message += message.detail != 0 ? " (step " + std::to_string(message.detail) + ")" : "";
          error.hint = "run `glovebox doctor` to see what this host lacks";
          start_failed_ = true;
          note_failure(std::move(error));
        }
        break;
    }
  }

  // The first process has killed everything. One process more than itself can only be the keeper, or what the program
  // made of it: killed, and for nothing of ours to wait for. With more than one, or no way to know, we wait until all
  // are dead.
  [[nodiscard]] bool may_leave_keeper() const {
    constexpr std::size_t kFirstProcessAndKeeper = 2;
    return !options_.reads_scratch && cell_.cgroup->process_count().value_or(SIZE_MAX) <= kFirstProcessAndKeeper;
  }

  // Nothing is alive in the cell but its first process, which is on its way out.
  void note_empty() {
    if (report_.exit_code || report_.signal) {
      empty_ = true;
      died_ = Clock::now();
    }
  }

  // A cell that waited for its program: everything is built and sealed, the runtime is loaded.
  void start_waiting_cell() {
    report_.scratch = std::move(cell_.waiting->scratch);
    refused_.listen(std::move(cell_.waiting->listener));
    report_.image_covered = cell_.waiting->image_covered;
    const auto before = Clock::now();
    if (auto placed = report_.scratch.place(options_.inputs); !placed) {
      note_failure(std::move(placed.error()));
      kill_all();
      return;
    }
    input_bytes_ = report_.scratch.usage().used_bytes;
    report_.inputs_ms = base::ms_since(before);
    const CellGo go{options_.latest_end_ms};
    const std::string& orders = cell_.waiting->orders;
    if (os::send_packet(cell_.socket.get(), &go, sizeof(go)) != 0 ||
        os::send_packet(cell_.waiting->channel.get(), orders.data(), orders.size()) != 0) {
      note_failure(base::errno_error(base::ErrorCode::setup_failed, "start", "cannot start the program"));
      kill_all();
      return;
    }
    // It stays open for the sake of orders_unread(), but nothing more goes either way.
    ::shutdown(cell_.waiting->channel.get(), SHUT_RDWR);
    told_to_start_ = true;
    start_clock(Clock::now());
  }

  void place_inputs(base::Fd root) {
    const auto before = Clock::now();
    report_.scratch = Scratch(std::move(root), options_.host_uid, options_.host_gid);
    if (auto placed = report_.scratch.place(options_.inputs); !placed) {
      note_failure(std::move(placed.error()));
      kill_all();
      return;
    }
    input_bytes_ = report_.scratch.usage().used_bytes;
    report_.inputs_ms = base::ms_since(before);
    // The cell is usually still sealing itself; it finds the word when it is done and need not wait for us.
    const CellGo go{options_.latest_end_ms};
    if (os::send_packet(cell_.socket.get(), &go, sizeof(go)) != 0) {
      note_failure(base::errno_error(base::ErrorCode::setup_failed, "start", "cannot start the program"));
      kill_all();
      return;
    }
    told_to_start_ = true;
  }

  // The cell was sealed at `sealed_at` and has started the program, or does so as soon as it finds our word.
  void start_clock(Clock::time_point sealed_at) {
    if (killed_) {
      return;
    }
    started_ = true;
    started_at_ = std::clamp(sealed_at, born_, Clock::now());
    report_.setup_ms = base::to_ms(started_at_ - born_);
    deadline_ = started_at_ + milliseconds(options_.limits.wall_ms);
    next_tick_ = started_at_ + kSuperviseTick;
    emit_state("running");
  }

  void pump(base::Fd& pipe, OutputCapture& capture, contract::EventKind kind) {
    const ssize_t got = ::read(pipe.get(), buffer_.get(), kPumpBytes);
    if (got <= 0) {
      if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        pipe.reset();
      }
      return;
    }
    const std::string_view bytes(buffer_.get(), static_cast<std::size_t>(got));
    const std::uint64_t before = capture.total_bytes();
    capture.append(bytes);
    // Watchers see what fits the cap; the rest is in the result as its tail.
    const std::uint64_t cap = options_.limits.output_bytes;
    if (options_.events != nullptr && before < cap) {
      (*options_.events)({kind, bytes.substr(0, std::min<std::uint64_t>(bytes.size(), cap - before))});
    }
    const std::uint64_t flood = std::max(cap * kFloodFactor, kFloodFloor);
    if (capture.total_bytes() > flood && !killed_) {
      end_with(Verdict::output);
    }
  }

  void emit_state(std::string_view state) {
    if (options_.events != nullptr) {
      (*options_.events)({contract::EventKind::state, state});
    }
  }

  void end_with(Verdict verdict) {
    if (report_.verdict == Verdict::none && !report_.failure) {
      report_.verdict = verdict;
    }
    kill_all();
  }

  void kill_all() {
    if (!killed_) {
      killed_ = true;
      killed_at_ = Clock::now();
      deadline_ = killed_at_ + kDeathPatience;
      next_tick_ = deadline_;
    }
    cell_.cgroup->kill_all();
    os::pidfd_send_signal(cell_.process.pidfd.get(), SIGKILL);
  }

  void note_failure(base::Error error) {
    if (!report_.failure) {
      report_.failure = std::move(error);
    }
  }

  // Everything that could write is dead, so the pipes hold a bounded rest.
  void drain() {
    constexpr int kMaxReads = 1024;
    for (int left = kMaxReads; left > 0 && cell_.socket.valid() && read_message(); --left) {
    }
    for (int left = kMaxReads; left > 0 && cell_.standard_output.valid(); --left) {
      pump(cell_.standard_output, report_.standard_output, contract::EventKind::standard_output);
    }
    for (int left = kMaxReads; left > 0 && cell_.standard_error.valid(); --left) {
      pump(cell_.standard_error, report_.standard_error, contract::EventKind::standard_error);
    }
  }

  // A watcher has seen what fits the cap; of a longer stream it gets the end too.
  void show_tail(const OutputCapture& capture, contract::EventKind kind) {
    if (options_.events != nullptr && capture.truncated()) {
      (*options_.events)({kind, capture.remainder(options_.limits.output_bytes)});
    }
  }

  // The kernel tells the sender when the other end is closed with a packet in it that nobody took. Nothing in the cell
  // can make that up: before the packet is taken there is no program.
  [[nodiscard]] bool orders_unread() const {
    int problem = 0;
    socklen_t size = sizeof(problem);
    return ::getsockopt(cell_.waiting->channel.get(), SOL_SOCKET, SO_ERROR, &problem, &size) == 0 &&
           problem == ECONNRESET;
  }

  // For certain: we did not say the word, nobody took it, the cell was not yet sealed, or it could not execute the
  // program and said so.
  [[nodiscard]] bool surely_not_started() const {
    if (!told_to_start_ || start_failed_) {
      return true;
    }
    return cell_.waiting ? orders_unread() : go_unread_ || (!started_ && heard_all_);
  }

  // Whoever was stopped or kept from running for long may find the cell gone: it ends by itself soon after the
  // deadline.
  [[nodiscard]] bool ended_by_itself() const {
    return started_ && dead_ && !killed_ && !report_.exit_code && !report_.signal && died_ >= deadline_;
  }

  void finish() {
    refused_.stop();
    report_.program_may_have_run = !surely_not_started();
    if (!report_.program_may_have_run && report_.verdict == Verdict::none) {
      note_failure(base::make_error(base::ErrorCode::setup_failed, "the cell ended before the program could start"));
    } else if (ended_by_itself() && report_.verdict == Verdict::none && !report_.failure) {
      report_.verdict = Verdict::wall;
      died_ = std::min(died_, started_at_ + milliseconds(options_.latest_end_ms));
    }
    show_tail(report_.standard_output, contract::EventKind::standard_output);
    show_tail(report_.standard_error, contract::EventKind::standard_error);
    measure();
    report_.peak_memory_bytes = std::max(report_.peak_memory_bytes, cell_.poll_memory ? rusage_peak_ : 0);
    report_.denials = refused_.denials();
    report_.refused_with = refused_.answers();
    const auto end = killed_ ? killed_at_ : ended_.value_or(died_);
    report_.wall_ms = started_ ? base::to_ms(end - started_at_) : 0;
  }

  SupervisedCell cell_;
  const SupervisionOptions& options_;
  SupervisionReport report_;
  RefusedCalls refused_;
  const std::unique_ptr<char[]> buffer_{new char[kPumpBytes]};  // not zeroed: a quiet program touches none of it
  Clock::time_point born_;
  Clock::time_point started_at_{};
  Clock::time_point killed_at_{};
  Clock::time_point died_{};
  std::optional<Clock::time_point> ended_;
  Clock::time_point deadline_{};
  Clock::time_point next_tick_{};
  std::uint64_t rusage_peak_ = 0;
  std::uint64_t input_bytes_ = 0;  // in the scratch before the program
  bool told_to_start_ = false;
  bool go_unread_ = false;
  bool heard_all_ = false;  // the cell has closed its socket, and all that was in it is known
  bool start_failed_ = false;
  bool started_ = false;
  bool killed_ = false;
  bool dead_ = false;
  bool empty_ = false;
};

}  // namespace

SupervisionReport supervise(SupervisedCell cell, const SupervisionOptions& options) {
  return Supervision(std::move(cell), options).run();
}

}  // namespace glovebox::engine
