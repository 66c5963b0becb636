#include "engine/supervise/refused_calls.h"

#include <linux/seccomp.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "os/calls.h"

namespace glovebox::engine {
namespace {

constexpr std::uint64_t kBurst = 512;
constexpr auto kSlowStep = std::chrono::milliseconds(1);
// The kernel may know larger structures than our headers; it tells their size, and refuses dirty buffers.
constexpr std::size_t kBufferBytes = 512;

}  // namespace

int RefusedCalls::pollable(Clock::time_point now) const { return now >= next_answer_ ? listener_.get() : -1; }

std::optional<RefusedCalls::Clock::time_point> RefusedCalls::resumes_at(Clock::time_point now) const {
  return listener_.valid() && now < next_answer_ ? std::optional(next_answer_) : std::nullopt;
}

bool RefusedCalls::answer_one(Clock::time_point now) {
  alignas(seccomp_notif) std::array<std::byte, kBufferBytes> request_bytes{};
  alignas(seccomp_notif_resp) std::array<std::byte, kBufferBytes> response_bytes{};
  auto* request = reinterpret_cast<seccomp_notif*>(request_bytes.data());
  auto* response = reinterpret_cast<seccomp_notif_resp*>(response_bytes.data());
  if (::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, request) != 0) {
    return errno == ENOENT || errno == EINTR;  // the caller died first
  }
  response->id = request->id;
  response->error = -log_.record(request->data);
  if (::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, response) != 0 && errno != ENOENT) {
    return false;
  }
  if (log_.total() > kBurst) {
    next_answer_ = now + kSlowStep;
  }
  return true;
}

}  // namespace glovebox::engine
