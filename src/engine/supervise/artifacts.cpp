#include "engine/supervise/artifacts.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/fd.h"
#include "base/glob.h"
#include "base/rel_path.h"
#include "base/sha256.h"
#include "base/units.h"
#include "base/utf8.h"
#include "engine/supervise/media_type.h"
#include "engine/supervise/work_walk.h"
#include "os/calls.h"
#include "os/files.h"

namespace glovebox::engine {
namespace {

using base::Fd;

constexpr std::size_t kMaxRefusals = 32;

class Harvester {
 public:
  Harvester(int work, const contract::Limits& limits, const std::map<std::string, std::string>& inputs)
      : work_(work), limits_(limits), inputs_(inputs) {}

  void take(const WorkEntry& candidate) {
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
  // A sparse file can claim any size, but then it is not what was passed in.
  [[nodiscard]] bool unchanged(const WorkEntry& candidate, const std::string& input_sha256) const {
    if (candidate.size > limits_.input_bytes) {
      return false;
    }
    const Fd file = open_regular(work_, candidate);
    const auto content = os::read_all(file.get(), candidate.size);
    return content && base::sha256_hex(*content) == input_sha256;
  }

  void read(const WorkEntry& candidate) {
    const Fd file = open_regular(work_, candidate);
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
  const WorkWalk walk = walk_work(work.get(), [&](const std::string& path) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return base::glob_match(pattern, path); });
  });
  Harvester harvester(work.get(), limits, inputs);
  for (const WorkEntry& candidate : walk.entries) {
    harvester.take(candidate);
  }
  for (const auto& [path, why] : walk.unread) {
    harvester.refuse(path + "/", why, "leave directories readable and flat");
  }
  ArtifactHarvest harvest = harvester.finish();
  if (!walk.complete && harvest.over_limit.empty()) {
    harvest.over_limit = "more than " + std::to_string(WorkWalk::kMaxEntries) + " files in the work directory";
  }
  return harvest;
}

}  // namespace glovebox::engine
