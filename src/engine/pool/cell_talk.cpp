#include "engine/pool/cell_talk.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string>

#include "os/packets.h"

namespace glovebox::engine {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;

constexpr int kPatienceMs = 10'000;

}  // namespace

bool wait_readable(int fd, int timeout_ms, int unless) {
  std::array<pollfd, 2> polls = {{{fd, POLLIN, 0}, {unless, POLLIN, 0}}};
  int ready = 0;
  do {
    ready = ::poll(polls.data(), polls.size(), timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && polls[0].revents != 0;
}

Result<CellNews> expect_message(int socket, CellMessageKind kind, std::size_t fds, std::string_view who) {
  if (!wait_readable(socket, kPatienceMs)) {
    return fail(ErrorCode::setup_failed, std::string(who) + " was not ready within 10 s");
  }
  CellNews news;
  os::ReceivedFds received;
  const ssize_t size = os::receive_packet(socket, &news.message, sizeof(news.message), received, MSG_DONTWAIT);
  for (std::size_t index = 0; index < received.count; ++index) {
    news.fds.emplace_back(received.fds[index]);
  }
  if (size != static_cast<ssize_t>(sizeof(news.message))) {
    return fail(ErrorCode::setup_failed, std::string(who) + " ended before it was ready");
  }
  if (news.message.kind == CellMessageKind::failed) {
    errno = news.message.sys_errno;
    auto error = base::errno_error(ErrorCode::setup_failed, std::string(to_string(news.message.stage)),
                                   "building " + std::string(who) + " failed");
    error.message += news.message.detail != 0 ? " (step " + std::to_string(news.message.detail) + ")" : "";
    return fail(std::move(error));
  }
  if (news.message.kind != kind || news.fds.size() != fds) {
    return fail(ErrorCode::internal_error, std::string(who) + " sent something else than expected");
  }
  return news;
}

}  // namespace glovebox::engine
