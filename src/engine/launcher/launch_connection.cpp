#include "engine/launcher/launch_connection.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/launcher/launcher.h"
#include "os/packets.h"

namespace glovebox::engine {
namespace {

using base::errno_error;
using base::Error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;

constexpr timeval kPatience = {10, 0};  // a launch takes less than a millisecond; this is a launcher that hangs

// What the usual refusals of clone3 mean on a real host.
Error explain(Error error, const LaunchReply& reply) {
  if (reply.stage == CellStage::clone &&
      (reply.sys_errno == EPERM || reply.sys_errno == ENOSPC || reply.sys_errno == EUSERS)) {
    error.code = ErrorCode::host_unsupported;
    error.hint = "this host does not let ordinary users create user namespaces; see `glovebox doctor` for the switch";
  } else if (reply.stage == CellStage::clone && reply.sys_errno == EBUSY) {
    error.hint = "the control group of the cell cannot take processes";
  } else {
    error.hint = "run `glovebox doctor` to see what this host lacks";
  }
  return error;
}

std::vector<int> in_order(const CellSpec& spec, const CellDescriptors& descriptors) {
  std::vector<int> fds = {descriptors.socket};
  if (executes(spec.role)) {
    fds.insert(fds.end(), {descriptors.standard_input, descriptors.standard_output, descriptors.standard_error});
  }
  if (has_channel(spec.role)) {
    fds.push_back(descriptors.channel);
  }
  if (spec.into_cgroup) {
    fds.push_back(descriptors.cgroup);
  }
  fds.insert(fds.end(), descriptors.tasks.begin(), descriptors.tasks.end());
  fds.insert(fds.end(), descriptors.blobs.begin(), descriptors.blobs.end());
  return fds;
}

}  // namespace

LaunchConnection::LaunchConnection(Fd socket) { reconnect(std::move(socket)); }

void LaunchConnection::reconnect(Fd socket) {
  const std::lock_guard lock(mutex_);
  socket_ = std::move(socket);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  broken_ = !socket_.valid();
}

void LaunchConnection::close() {
  const std::lock_guard lock(mutex_);
  broken_ = true;
  socket_.reset();
}

Result<LaunchedCell> LaunchConnection::launch(const CellSpec& spec, const CellDescriptors& descriptors) {
  const std::string bytes = TRY(encode_cell_spec(spec));
  const std::vector<int> fds = in_order(spec, descriptors);
  LaunchReply reply;
  os::ReceivedFds received;
  {
    const std::lock_guard lock(mutex_);
    if (broken_ || os::send_packet(socket_.get(), bytes.data(), bytes.size(), fds) != 0) {
      broken_ = true;
      return fail(errno_error(ErrorCode::setup_failed, "launcher", "cannot reach the launcher"));
    }
    const ssize_t size = os::receive_packet(socket_.get(), &reply, sizeof(reply), received);
    if (size != static_cast<ssize_t>(sizeof(reply))) {
      const bool late = size < 0 && errno == EAGAIN;
      broken_ = true;  // an answer that comes later would be taken for that of the next request
      return fail(ErrorCode::setup_failed, late       ? "the launcher did not answer within 10 s"
                                           : size > 0 ? "the launcher's answer makes no sense"
                                                      : "the launcher ended unexpectedly");
    }
  }
  Fd pidfd(received.count > 0 ? received.fds[0] : -1);
  if (reply.failed != 0 || !pidfd.valid()) {
    errno = reply.sys_errno;
    return fail(explain(
        errno_error(ErrorCode::setup_failed, std::string(to_string(reply.stage)), "cannot create the cell"), reply));
  }
  return LaunchedCell{std::move(pidfd), reply.pid};
}

}  // namespace glovebox::engine
