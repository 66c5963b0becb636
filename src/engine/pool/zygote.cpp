#include "engine/pool/zygote.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "base/utf8.h"
#include "engine/languages/language_command.h"
#include "engine/pool/adoption.h"
#include "engine/pool/cell_talk.h"
#include "engine/supervise/scratch.h"
#include "os/calls.h"
#include "os/packets.h"
#include "os/pairs.h"

namespace glovebox::engine {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using base::Status;

constexpr int kLoadPatienceMs = 60'000;
constexpr std::uint64_t kZygoteMemoryBytes = 1ULL << 30U;
// Where the kernel cannot bear a child into another pids group, the keepers of all its running cells count here.
constexpr std::uint64_t kZygoteProcesses = 8192;
constexpr std::uint64_t kScratchBytes = 64U << 20U;
constexpr std::uint64_t kScratchInodes = 1024;

CellSpec spec_of_zygote(const LanguageProfile& language, const WarmSet& set, Nursery::CellUser user) {
  CellSpec spec;
  spec.role = CellRole::zygote;
  spec.host_uid = user.inner;
  spec.host_gid = user.inner;
  spec.uid = user.inner;
  spec.gid = user.inner;
  spec.hostname = "glovebox";
  spec.directory = kWorkDirectory;
  add_cell_places(spec.root, RootEntry::Kind::scratch_sealed);
  spec.scratch_bytes = kScratchBytes;
  spec.scratch_inodes = kScratchInodes;
  spec.scratch_parts = {kWorkPart, kTmpPart, kShmPart, kCodePart};
  spec.argv = fill_in_command(language, language.warm.command, contract::Limits().memory_bytes);
  spec.argv.push_back(fmt::format("{}", fmt::join(set.modules, ",")));
  spec.argv.insert(spec.argv.end(), set.rehearsals.begin(), set.rehearsals.end());
  for (const auto& [name, value] : environment(language, contract::Limits().memory_bytes)) {
    spec.env.push_back(name + "=" + value);
  }
  spec.seccomp = "default";  // not for itself: its children take it
  return spec;
}

std::string last_words(int pipe) {
  std::array<char, 2048> text{};
  const ssize_t size = ::read(pipe, text.data(), text.size());
  return size > 0 ? ": " + base::printable(std::string_view(text.data(), static_cast<std::size_t>(size)), 400) : "";
}

}  // namespace

Result<std::unique_ptr<Zygote>> Zygote::start(std::shared_ptr<Nursery> nursery, const os::CgroupSite& site,
                                              const LanguageProfile& language, const WarmSet& set, int unless) {
  const Nursery::CellUser user = nursery->zygote_user();
  os::CellCgroup cgroup = TRY(os::CellCgroup::create(site, {kZygoteMemoryBytes, kZygoteProcesses, 100}));
  std::unique_ptr<Zygote> zygote(new Zygote(nursery, std::move(cgroup)));
  Fd socket;
  Fd their_socket;
  Fd their_channel;
  Fd their_errors;
  Fd unread_output;
  Fd their_output;
  if (os::make_socket_pair(socket, their_socket) != 0 || os::make_socket_pair(zygote->channel_, their_channel) != 0 ||
      os::make_pipe(zygote->standard_error_, their_errors, O_NONBLOCK) != 0 ||
      os::make_pipe(unread_output, their_output) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "socket", "cannot create the zygote's sockets"));
  }
  const Fd input(::memfd_create("stdin", MFD_CLOEXEC));

  CellSpec spec = spec_of_zygote(language, set, user);
  CellDescriptors descriptors;
  descriptors.socket = their_socket.get();
  descriptors.standard_input = input.get();
  descriptors.standard_output = their_output.get();
  descriptors.standard_error = their_errors.get();
  descriptors.channel = their_channel.get();
  descriptors.cgroup = zygote->cgroup_->unified_fd();
  descriptors.tasks = zygote->cgroup_->task_fds();
  spec.into_cgroup = descriptors.cgroup >= 0;
  spec.task_fds = static_cast<std::uint32_t>(descriptors.tasks.size());
  zygote->process_ = TRY(nursery->launch(spec, descriptors));
  their_socket.reset();
  their_channel.reset();
  their_errors.reset();

  CellNews news = TRY(expect_message(socket.get(), CellMessageKind::scratch, 2, "the zygote"));
  const Scratch scratch(std::move(news.fds[0]), user.host, user.host);
  std::vector<PlacedFile> files = TRY(support_files(language.support));
  const std::vector<PlacedFile> more = TRY(support_files(language.warm.support));
  files.insert(files.end(), more.begin(), more.end());
  TRY_STATUS(scratch.place(files));
  const CellGo go;
  char ready = 0;
  os::ReceivedFds none;
  if (os::send_packet(socket.get(), &go, sizeof(go)) != 0 ||
      !wait_readable(zygote->channel_.get(), kLoadPatienceMs, unless) ||
      os::receive_packet(zygote->channel_.get(), &ready, 1, none, MSG_DONTWAIT) != 1 || ready != kZygoteReady) {
    return fail(ErrorCode::setup_failed, fmt::format("the {} zygote '{}' did not come up{}", language.name, set.name,
                                                     last_words(zygote->standard_error_.get())));
  }
  zygote->cgroup_->mark();
  return zygote;
}

Zygote::~Zygote() {
  channel_.reset();
  if (process_.pidfd.valid()) {
    os::pidfd_send_signal(process_.pidfd.get(), SIGKILL);
    (void)wait_readable(process_.pidfd.get(), 5000);
  }
}

bool Zygote::alive() const { return !wait_readable(process_.pidfd.get(), 0) && !wait_readable(channel_.get(), 0); }

Status Zygote::adopt(const Adoption& adoption) {
  AdoptionRequest request;
  request.landlock_abi = adoption.landlock_abi;
  request.into_cgroup = adoption.cgroup >= 0 ? 1 : 0;
  request.task_fds = static_cast<std::uint32_t>(adoption.tasks.size());
  std::vector<int> fds = {adoption.first_process, adoption.standard_input, adoption.standard_output,
                          adoption.standard_error, adoption.channel};
  if (adoption.cgroup >= 0) {
    fds.push_back(adoption.cgroup);
  }
  fds.insert(fds.end(), adoption.tasks.begin(), adoption.tasks.end());
  request.limits = static_cast<std::uint32_t>(adoption.rlimits.size());
  std::string packet(reinterpret_cast<const char*>(&request), sizeof(request));
  packet.append(reinterpret_cast<const char*>(adoption.rlimits.data()),
                adoption.rlimits.size() * sizeof(ResourceLimit));
  const std::lock_guard lock(mutex_);
  if (os::send_packet(channel_.get(), packet.data(), packet.size(), fds) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "zygote", "cannot reach the zygote"));
  }
  ++children_;
  return {};
}

}  // namespace glovebox::engine
