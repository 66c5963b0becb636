#include "engine/launcher/network_stock.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace glovebox::engine {
namespace {

using base::Fd;

constexpr std::size_t kMostSpare = 32;

Fd current_network(int proc) { return Fd(::openat(proc, "self/ns/net", O_RDONLY | O_CLOEXEC)); }

}  // namespace

void NetworkStock::make_one() {
  if (::unshare(CLONE_NEWNET) == 0) {
    if (Fd made = current_network(proc_); made.valid()) {
      spare_.push_back(std::move(made));
    }
  }
}

void NetworkStock::prepare() {
  if (owner_ == Owner::nursery) {
    collect_emptied();
    if (spare_.empty()) {
      make_one();
    }
    return;
  }
  if (::geteuid() != 0 || !spare_.empty()) {
    return;
  }
  if (!home_.valid()) {
    home_ = current_network(proc_);
  }
  if (home_.valid()) {
    make_one();
    leave(-1);
  }
}

bool NetworkStock::enter(bool fresh) {
  if (owner_ == Owner::nursery && (fresh || spare_.empty())) {
    make_one();  // the newest is at the end
  }
  if (spare_.empty()) {
    return false;
  }
  entered_ = std::move(spare_.back());
  entered_fresh_ = fresh;
  spare_.pop_back();
  return ::setns(entered_.get(), CLONE_NEWNET) == 0;
}

void NetworkStock::leave(int pidfd) {
  if (owner_ == Owner::host) {
    entered_.reset();
    if (home_.valid() && ::setns(home_.get(), CLONE_NEWNET) != 0) {
      ::_exit(1);  // a launcher that is lost in a cell's namespace must not go on
    }
    return;
  }
  if (pidfd >= 0 && entered_.valid() && !entered_fresh_) {
    used_.push_back({Fd(::fcntl(pidfd, F_DUPFD_CLOEXEC, 0)), std::move(entered_)});
  }
  entered_.reset();
}

// A pidfd is readable when the first process of the cell is gone, and with it everything else that was in there.
void NetworkStock::collect_emptied() {
  std::erase_if(used_, [this](Used& used) {
    pollfd poll{used.cell.get(), POLLIN, 0};
    if (used.cell.valid() && ::poll(&poll, 1, 0) <= 0) {
      return false;
    }
    if (used.cell.valid() && spare_.size() < kMostSpare && is_empty(used.network.get())) {
      spare_.push_back(std::move(used.network));
    }
    return true;
  });
}

// Only the header is left in the list of local sockets.
bool NetworkStock::is_empty(int network) const {
  if (::setns(network, CLONE_NEWNET) != 0) {
    return false;
  }
  const Fd sockets(::openat(proc_, "self/net/unix", O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text{};
  const ssize_t size = ::read(sockets.get(), text.data(), text.size());
  return size > 0 && std::count(text.begin(), text.begin() + size, '\n') == 1 &&
         text[static_cast<std::size_t>(size) - 1] == '\n';
}

}  // namespace glovebox::engine
