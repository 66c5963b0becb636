#include "engine/pool/nursery.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <iterator>

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

// Of the nursery itself: its cells and zygotes have groups of their own.
constexpr std::uint64_t kNurseryMemoryBytes = 256U << 20U;
constexpr std::uint64_t kNurseryProcesses = 1024;
constexpr std::uint64_t kMostCpus = 64;
constexpr std::uint64_t kOwnScratchBytes = 1U << 20U;
constexpr std::uint64_t kOwnScratchInodes = 64;
// As root, the nursery's user 1 is the first of the host users that cells get, and so on; the last one is the zygotes'.
constexpr std::uint32_t kFirstInner = 1;
// Where the nursery's cells find the host's own directories to lay overlays over. In a cell its work directory covers
// it.
constexpr const char* kHiddenPlace = "work/";

bool is_below(const std::string& path, const std::string& directory) { return path.starts_with(directory + "/"); }

// What each cell mounts for itself, though the nursery has it already: behind one overlay for all of them they would
// share its inodes, and with these locks, watches and leases.
std::vector<RootEntry> image_of_own(const Image& image) {
  std::vector<RootEntry> entries;
  for (const RootEntry& entry : image.entries) {
    if (entry.kind != RootEntry::Kind::image) {
      continue;
    }
    entries.push_back({RootEntry::Kind::image, entry.target, kHiddenPlace + entry.target});
    std::copy_if(image.entries.begin(), image.entries.end(), std::back_inserter(entries),
                 [&entry](const RootEntry& other) { return is_below(other.target, entry.target); });
  }
  return entries;
}

void add_hidden_places(const Image& image, std::vector<RootEntry>& root) {
  for (const RootEntry& entry : image.entries) {
    if (entry.kind == RootEntry::Kind::image) {
      root.push_back({RootEntry::Kind::bind_directory, kHiddenPlace + entry.target, entry.source});
    }
  }
}

CellSpec spec_of_nursery(const Image& image, const LanguageProfile& language, const HostFacts& host) {
  CellSpec spec;
  spec.role = CellRole::nursery;
  spec.host_uid = host.privileged ? kFirstHostUid : host.uid;
  spec.host_gid = host.privileged ? kFirstHostUid : host.gid;
  if (host.privileged) {
    spec.uid = kFirstInner;
    spec.gid = kFirstInner;
    spec.id_count = kHostUidCount;
  }
  spec.hostname = "glovebox";
  spec.directory = "/";
  spec.root = image.entries;
  const auto paths = show_host_paths(language.host_paths);
  spec.root.insert(spec.root.end(), paths.begin(), paths.end());
  for (const char* place : {"work", "tmp", "dev/shm"}) {
    spec.root.push_back({RootEntry::Kind::directory, place, ""});
  }
  add_hidden_places(image, spec.root);
  spec.root.push_back({RootEntry::Kind::scratch_sealed, "glovebox", kCodePart});
  spec.root.push_back({RootEntry::Kind::proc, "proc", ""});
  spec.scratch_bytes = kOwnScratchBytes;
  spec.scratch_inodes = kOwnScratchInodes;
  spec.scratch_parts = {kEmptyPart, kCodePart, kSupportPart};
  spec.seccomp = "default";  // of its cells; the nursery itself has to clone and mount
  return spec;
}

// What every cell of this language finds beside its program. What a zygote needs for itself it brings itself.
base::Status place_support(const LanguageProfile& language, const Scratch& scratch) {
  std::vector<PlacedFile> files = TRY(support_files(language.support));
  if (language.warm.kind == WarmKind::started) {
    const std::vector<PlacedFile> more = TRY(support_files(language.warm.support));
    files.insert(files.end(), more.begin(), more.end());
  }
  return scratch.place(files);
}

}  // namespace

Nursery::Nursery(const HostFacts& host, Fd socket, LaunchedCell process, os::CellCgroup group)
    : privileged_(host.privileged),
      host_uid_(host.uid),
      connection_(std::move(socket)),
      process_(std::move(process)),
      group_(std::move(group)) {}

Result<std::vector<PlacedFile>> support_files(const std::vector<SupportFile>& support) {
  std::vector<PlacedFile> files;
  for (const SupportFile& file : support) {
    base::RelPath path = TRY(base::RelPath::parse(file.to));
    files.push_back({kCodePart, std::move(path), file.content});
  }
  return files;
}

Nursery::~Nursery() {
  connection_.close();
  os::pidfd_send_signal(process_.pidfd.get(), SIGKILL);
  (void)wait_readable(process_.pidfd.get(), 5000);
}

std::optional<std::uint32_t> Nursery::host_user(const HostFacts& host) {
  return host.privileged ? std::optional(kFirstHostUid + kHostUidCount - 1) : std::nullopt;
}

Result<std::unique_ptr<Nursery>> Nursery::start(LauncherClient& launcher, const Image& image,
                                                const LanguageProfile& language, const HostFacts& host,
                                                const os::CgroupSite& site) {
  os::CellCgroup group = TRY(os::CellCgroup::create(site, {kNurseryMemoryBytes, kNurseryProcesses, 100 * kMostCpus}));
  Fd our_end;
  Fd their_end;
  if (os::make_socket_pair(our_end, their_end) != 0) {
    return fail(errno_error(ErrorCode::setup_failed, "socket", "cannot create the nursery's socket"));
  }
  CellDescriptors descriptors;
  descriptors.socket = their_end.get();
  descriptors.cgroup = group.unified_fd();
  descriptors.tasks = group.task_fds();
  CellSpec spec = spec_of_nursery(image, language, host);
  spec.into_cgroup = descriptors.cgroup >= 0;
  spec.task_fds = static_cast<std::uint32_t>(descriptors.tasks.size());
  LaunchedCell process = TRY(launcher.launch(spec, descriptors));
  their_end.reset();
  CellNews scratch = TRY(expect_message(our_end.get(), CellMessageKind::scratch, 2, "the nursery"));
  const std::uint32_t owner = host_user(host).value_or(host.uid);
  TRY_STATUS(place_support(language, Scratch(std::move(scratch.fds[0]), owner, owner)));
  TRY(expect_message(our_end.get(), CellMessageKind::sealed, 0, "the nursery"));
  std::unique_ptr<Nursery> nursery(new Nursery(host, std::move(our_end), std::move(process), std::move(group)));
  nursery->image_ = image_of_own(image);
  return nursery;
}

bool Nursery::alive() const {
  pollfd poll{process_.pidfd.get(), POLLIN, 0};
  return !connection_.broken() && ::poll(&poll, 1, 0) == 0;
}

Nursery::CellUser Nursery::next_user() const {
  if (!privileged_) {
    return {host_uid_, 1000};
  }
  const std::uint32_t offset = next_host_uid_offset() % (kHostUidCount - 1);
  return {kFirstHostUid + offset, kFirstInner + offset};
}

Nursery::CellUser Nursery::zygote_user() const {
  return privileged_ ? CellUser{kFirstHostUid + kHostUidCount - 1, kFirstInner + kHostUidCount - 1}
                     : CellUser{host_uid_, 1000};
}

}  // namespace glovebox::engine
