#include "cli/live_output.h"

#include <unistd.h>

#include "base/utf8.h"
#include "os/files.h"

namespace glovebox::cli {

LiveOutput::LiveOutput(std::function<void()> on_closed) : on_closed_(std::move(on_closed)) {}

LiveOutput::~LiveOutput() { finish(); }

void LiveOutput::show(const contract::Event& event) {
  if (event.kind == contract::EventKind::state || event.data.empty()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  pieces_.push_back(
      {event.kind == contract::EventKind::standard_output ? STDOUT_FILENO : STDERR_FILENO, std::string(event.data)});
  if (!writer_.joinable()) {
    writer_ = std::thread([this] { write_pieces(); });
  }
  changed_.notify_one();
}

void LiveOutput::finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_one();
  }
  if (writer_.joinable()) {
    writer_.join();
  }
}

void LiveOutput::write_pieces() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return finished_ || !pieces_.empty(); });
    if (pieces_.empty()) {
      return;
    }
    const Piece piece = std::move(pieces_.front());
    pieces_.pop_front();
    lock.unlock();
    if (const auto written = write(piece); !written && piece.fd == STDOUT_FILENO && failure_ == 0) {
      failure_ = written.error().sys_errno;
      on_closed_();
    }
    lock.lock();
  }
}

base::Status LiveOutput::write(const Piece& piece) {
  if (::isatty(piece.fd) != 1) {
    return os::write_all(piece.fd, piece.bytes);
  }
  // A character or an escape sequence may be cut between two pieces: its beginning waits for the rest.
  std::string& held_back = piece.fd == STDOUT_FILENO ? out_held_back_ : err_held_back_;
  held_back += piece.bytes;
  const std::size_t whole = base::complete_prefix(held_back);
  const std::string clean = base::sanitize_output(std::string_view(held_back).substr(0, whole));
  held_back.erase(0, whole);
  return os::write_all(piece.fd, clean);
}

}  // namespace glovebox::cli
