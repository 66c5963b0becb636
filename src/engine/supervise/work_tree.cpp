#include "engine/supervise/work_tree.h"

#include <fcntl.h>

#include "base/fd.h"
#include "base/rel_path.h"
#include "base/sha256.h"
#include "base/units.h"
#include "base/utf8.h"
#include "engine/supervise/work_walk.h"
#include "os/calls.h"
#include "os/files.h"

namespace glovebox::engine {
namespace {

constexpr std::size_t kMaxListedRefusals = 32;

class TreeCollector {
 public:
  TreeCollector(int work, const WorkBounds& bounds, const std::map<std::string, std::string>& inputs)
      : work_(work), bounds_(bounds), inputs_(inputs) {}

  void take(const WorkEntry& entry) {
    if (!S_ISREG(entry.mode)) {
      refuse(entry.path, kind_of(entry.mode) + " is not kept", "write a regular file instead");
      return;
    }
    if (!base::RelPath::parse(entry.path)) {
      refuse(entry.path, "its name is not printable UTF-8 or is too long", "give it a plain name");
      return;
    }
    const auto input = inputs_.find(entry.path);
    if (input != inputs_.end() && input->second.empty()) {
      return;  // the place of a read-only blob
    }
    if (++files_ > bounds_.files) {
      stop("there are more than " + std::to_string(bounds_.files) + " files in the work directory");
      return;
    }
    // A sparse file can claim any size: this is asked before anything is read.
    const std::uint64_t left = bounds_.bytes - bytes_;
    if (entry.path.size() > left || entry.size > left - entry.path.size()) {
      stop("there is more than " + base::format_size(bounds_.bytes) + " in the work directory");
      return;
    }
    read(entry, input != inputs_.end() ? input->second : "");
  }

  void stop(std::string why) {
    if (tree_.incomplete.empty()) {
      tree_.incomplete = std::move(why);
    }
  }
  [[nodiscard]] bool stopped() const { return !tree_.incomplete.empty(); }

  [[nodiscard]] WorkTree finish() {
    if (stopped()) {
      tree_.kept.clear();
      tree_.written.clear();
    }
    return std::move(tree_);
  }

 private:
  void read(const WorkEntry& entry, const std::string& input_sha256) {
    const base::Fd file = open_regular(work_, entry);
    auto content = os::read_all(file.get(), entry.size);
    if (!file.valid() || !content) {
      stop("the program made " + base::printable(entry.path, 120) + " unreadable");
      return;
    }
    bytes_ += entry.path.size() + content->size();
    std::string sha256 = base::sha256_hex(*content);
    if (sha256 == input_sha256) {
      tree_.kept.push_back(entry.path);
    } else {
      content->shrink_to_fit();
      tree_.written.push_back({entry.path, std::move(sha256), std::move(*content)});
    }
  }

  void refuse(const std::string& path, std::string why, std::string grant) {
    if (tree_.refused.size() < kMaxListedRefusals) {
      tree_.refused.push_back({"file " + base::printable(path, 200), std::move(why), "workspace", std::move(grant), 1});
    } else {
      tree_.refused.back().what = "other files";
      ++tree_.refused.back().count;
    }
  }

  int work_;
  const WorkBounds& bounds_;
  const std::map<std::string, std::string>& inputs_;
  WorkTree tree_;
  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

WorkTree collect_work_tree(const Scratch& scratch, const WorkBounds& bounds,
                           const std::map<std::string, std::string>& inputs) {
  const ActingAs program_user(scratch.host_uid(), scratch.host_gid());
  const base::Fd work(os::open_beneath(scratch.root(), kWorkPart, O_RDONLY | O_DIRECTORY));
  TreeCollector collector(work.get(), bounds, inputs);
  if (!work.valid()) {
    collector.stop("the program made its work directory unreadable");
    return collector.finish();
  }
  const WorkWalk walk = walk_work(work.get(), [](const std::string&) { return true; });
  if (!walk.complete) {
    collector.stop("there are more than " + std::to_string(WorkWalk::kMaxEntries) + " files in the work directory");
  }
  for (const auto& [path, why] : walk.unread) {
    collector.stop(base::printable(path, 120) + "/: " + why);
  }
  for (const WorkEntry& entry : walk.entries) {
    if (collector.stopped()) {
      break;
    }
    collector.take(entry);
  }
  return collector.finish();
}

}  // namespace glovebox::engine
