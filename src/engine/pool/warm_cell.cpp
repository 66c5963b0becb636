#include "engine/pool/warm_cell.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>

#include "engine/pool/cell_talk.h"
#include "os/calls.h"
#include "os/files.h"

namespace glovebox::engine {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Status;

bool WarmCell::healthy() const {
  std::array<pollfd, 4> polls = {pollfd{process.pidfd.get(), POLLIN, 0}, pollfd{socket.get(), POLLIN, 0},
                                 pollfd{channel.get(), POLLIN, 0}, pollfd{keeper.get(), POLLIN, 0}};
  return ::poll(polls.data(), polls.size(), 0) == 0;
}

SpentCell remains_of(WarmCell cell) {
  return {std::move(cell.process), std::move(cell.cgroup), std::move(cell.keeper), std::move(cell.birth_group)};
}

void SpentCell::kill() {
  if (std::exchange(killed, true)) {
    return;
  }
  if (keeper.valid()) {
    os::pidfd_send_signal(keeper.get(), SIGKILL);
  }
  if (!reusable) {
    cgroup.kill_all();
    os::pidfd_send_signal(process.pidfd.get(), SIGKILL);
  }
}

bool SpentCell::dead() const {
  return wait_readable(process.pidfd.get(), 0) && (!keeper.valid() || wait_readable(keeper.get(), 0));
}

Status WarmCell::resize(std::uint64_t bytes, std::uint64_t inodes) {
  if (bytes == scratch_bytes && inodes == scratch_inodes) {
    return {};
  }
  if (os::fsconfig_string(scratch_size.get(), "size", std::to_string(bytes).c_str()) != 0 ||
      os::fsconfig_string(scratch_size.get(), "nr_inodes", std::to_string(inodes).c_str()) != 0 ||
      os::fsconfig_reconfigure(scratch_size.get()) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "scratch", "cannot size the directories of the cell"));
  }
  scratch_bytes = bytes;
  scratch_inodes = inodes;
  return {};
}

Status WarmCell::fill_standard_input(const std::string& bytes) {
  // Written in place, so that the offset, which the cell shares, stays at the beginning.
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written =
        ::pwrite(standard_input.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (written <= 0) {
      return fail(errno_error(ErrorCode::setup_failed, "stdin", "cannot prepare standard input"));
    }
    done += static_cast<std::size_t>(written);
  }
  if (::fcntl(standard_input.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "stdin", "cannot seal standard input"));
  }
  return {};
}

}  // namespace glovebox::engine
