#include "engine/supervise/artifacts.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/fd.h"
#include "base/glob.h"
#include "base/rel_path.h"
#include "base/sha256.h"
#include "base/units.h"
#include "base/utf8.h"
#include "engine/supervise/media_type.h"
#include "os/calls.h"
#include "os/files.h"

namespace glovebox::engine {
namespace {

using base::Fd;

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxEntries = 200'000;
constexpr std::size_t kMaxRefusals = 32;

struct Candidate {
  std::string path;  // relative to the work directory, raw bytes
  mode_t mode = 0;
  std::uint64_t size = 0;
};

// A directory still to be read. The descriptor is opened when its turn comes, so that depth costs no descriptors.
struct Pending {
  std::string path;
  std::size_t depth = 0;
};

class Walk {
 public:
  Walk(int work, const std::vector<std::string>& patterns) : work_(work), patterns_(patterns) {}

  std::vector<Candidate> run() {
    std::vector<Pending> pending = {{"", 0}};
    while (!pending.empty() && seen_ < kMaxEntries) {
      const Pending next = std::move(pending.back());
      pending.pop_back();
      read_directory(next, pending);
    }
    std::sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return std::move(found_);
  }
  [[nodiscard]] bool complete() const { return seen_ < kMaxEntries; }
  // Directories that were not looked into, with the reason.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& unread() const { return unread_; }

 private:
  void read_directory(const Pending& directory, std::vector<Pending>& pending) {
    const char* name = directory.path.empty() ? "." : directory.path.c_str();
    const int fd = os::open_beneath(work_, name, O_RDONLY | O_DIRECTORY);
    DIR* stream = fd >= 0 ? ::fdopendir(fd) : nullptr;
    if (stream == nullptr) {
      if (fd >= 0) {
        ::close(fd);
      }
      skip(directory.path, "the program made the directory unreadable");
      return;
    }
    while (const dirent* entry = ::readdir(stream)) {
      if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) {
        continue;
      }
      if (++seen_ >= kMaxEntries) {
        break;
      }
      std::string path = directory.path.empty() ? entry->d_name : directory.path + "/" + entry->d_name;
      struct stat status {};
      if (::fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        skip(path, "the program closed the directory around it");
        continue;
      }
      if (S_ISDIR(status.st_mode)) {
        if (directory.depth + 1 < kMaxDepth && path.size() < PATH_MAX) {
          pending.push_back({std::move(path), directory.depth + 1});
        } else {
          skip(path, "it is nested too deep");
        }
        continue;
      }
      if (wanted(path)) {
        found_.push_back({std::move(path), status.st_mode, static_cast<std::uint64_t>(status.st_size)});
      }
    }
    ::closedir(stream);
  }

  void skip(const std::string& path, std::string why) {
    if (unread_.size() < kMaxRefusals) {
      unread_.emplace_back(path, std::move(why));
    }
  }

  [[nodiscard]] bool wanted(const std::string& path) const {
    return std::any_of(patterns_.begin(), patterns_.end(),
                       [&](const std::string& pattern) { return base::glob_match(pattern, path); });
  }

  int work_;
  const std::vector<std::string>& patterns_;
  std::vector<Candidate> found_;
  std::vector<std::pair<std::string, std::string>> unread_;
  std::size_t seen_ = 0;
};

std::string kind_of(mode_t mode) {
  if (S_ISLNK(mode)) {
    return "a symbolic link";
  }
  if (S_ISFIFO(mode)) {
    return "a fifo";
  }
  if (S_ISSOCK(mode)) {
    return "a socket";
  }
  return "a device";
}

class Harvester {
 public:
  Harvester(int work, const contract::Limits& limits, const std::map<std::string, std::string>& inputs)
      : work_(work), limits_(limits), inputs_(inputs) {}

  void take(const Candidate& candidate) {
    if (!S_ISREG(candidate.mode)) {
      refuse(candidate.path, kind_of(candidate.mode) + " is not collected", "write a regular file instead");
      return;
    }
    if (!base::RelPath::parse(candidate.path)) {
      refuse(candidate.path, "its name is not printable UTF-8 or is too long", "give it a plain name");
      return;
    }
    const auto input = inputs_.find(candidate.path);
    if (input != inputs_.end() && input->second.empty()) {
      return;  // the place of a read-only blob
    }
    if (input != inputs_.end() && unchanged(candidate, input->second)) {
      return;  // before the caps: what was passed in may be larger than what may come out
    }
    if (harvest_.artifacts.size() >= limits_.artifact_count) {
      pass_cap("more than " + std::to_string(limits_.artifact_count) + " artifacts (limits.artifact_count)");
      return;
    }
    if (candidate.size > limits_.artifact_file_bytes) {
      pass_cap(base::printable(candidate.path, 120) + " has " + base::format_size(candidate.size) + ", more than " +
               base::format_size(limits_.artifact_file_bytes) + " (limits.artifact_file_bytes)");
      return;
    }
    if (total_ + candidate.size > limits_.artifact_bytes) {
      pass_cap("more than " + base::format_size(limits_.artifact_bytes) + " of artifacts (limits.artifact_bytes)");
      return;
    }
    read(candidate);
  }

  [[nodiscard]] ArtifactHarvest finish() { return std::move(harvest_); }

  void refuse(const std::string& path, std::string why, std::string grant) {
    if (harvest_.refused.size() < kMaxRefusals) {
      harvest_.refused.push_back(
          {"artifact " + base::printable(path, 200), std::move(why), "artifacts", std::move(grant), 1});
    } else {
      harvest_.refused.back().what = "other artifacts";
      ++harvest_.refused.back().count;
    }
  }

 private:
  [[nodiscard]] Fd open_regular(const Candidate& candidate) const {
    Fd file(os::open_beneath(work_, candidate.path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
      return Fd();
    }
    return file;
  }

  // A sparse file can claim any size, but then it is not what was passed in.
  [[nodiscard]] bool unchanged(const Candidate& candidate, const std::string& input_sha256) const {
    if (candidate.size > limits_.input_bytes) {
      return false;
    }
    const Fd file = open_regular(candidate);
    const auto content = os::read_all(file.get(), candidate.size);
    return content && base::sha256_hex(*content) == input_sha256;
  }

  void read(const Candidate& candidate) {
    const Fd file = open_regular(candidate);
    if (!file.valid()) {
      refuse(candidate.path, "the program made it unreadable", "leave its permissions readable");
      return;
    }
    auto content = os::read_all(file.get(), limits_.artifact_file_bytes);
    if (!content) {
      refuse(candidate.path, content.error().message, "write it again");
      return;
    }
    contract::Artifact artifact;
    artifact.path = candidate.path;
    artifact.bytes = content->size();
    artifact.sha256 = base::sha256_hex(*content);
    artifact.media_type = media_type_of(candidate.path, *content);
    artifact.content = std::move(*content);
    total_ += artifact.bytes;
    harvest_.artifacts.push_back(std::move(artifact));
  }

  void pass_cap(std::string what) {
    if (harvest_.over_limit.empty()) {
      harvest_.over_limit = std::move(what);
    }
  }

  int work_;
  const contract::Limits& limits_;
  const std::map<std::string, std::string>& inputs_;
  ArtifactHarvest harvest_;
  std::uint64_t total_ = 0;
};

}  // namespace

ArtifactHarvest collect_artifacts(const Scratch& scratch, const std::vector<std::string>& patterns,
                                  const contract::Limits& limits, const std::map<std::string, std::string>& inputs) {
  if (patterns.empty() || !scratch.valid()) {
    return {};
  }
  const ActingAs program_user(scratch.host_uid(), scratch.host_gid());
  const Fd work(os::open_beneath(scratch.root(), kWorkPart, O_RDONLY | O_DIRECTORY));
  if (!work.valid()) {
    return {};
  }
  Walk walk(work.get(), patterns);
  Harvester harvester(work.get(), limits, inputs);
  for (const Candidate& candidate : walk.run()) {
    harvester.take(candidate);
  }
  for (const auto& [path, why] : walk.unread()) {
    harvester.refuse(path + "/", why, "leave directories readable and flat");
  }
  ArtifactHarvest harvest = harvester.finish();
  if (!walk.complete() && harvest.over_limit.empty()) {
    harvest.over_limit = "more than " + std::to_string(kMaxEntries) + " files in the work directory";
  }
  return harvest;
}

}  // namespace glovebox::engine
