#include "bench/command_peer.h"

#include <utility>

namespace glovebox::bench {

CommandPeer::CommandPeer(std::string id, std::string title, std::string scratch, CommandPeerParts parts)
    : Peer(std::move(id), std::move(title)), scratch_(std::move(scratch)), parts_(std::move(parts)) {}

std::string CommandPeer::cannot_run(const Workload& workload) const { return parts_.cannot_run(workload); }

base::Result<std::shared_ptr<CommandPeer::Place>> CommandPeer::place_for(const Workload& workload) {
  const bool shared = workload.expected_artifacts.empty();
  const std::lock_guard lock(mutex_);
  if (const auto known = shared_places_.find(workload.id); shared && known != shared_places_.end()) {
    return known->second;
  }
  WorkDirectory work = TRY(WorkDirectory::create(scratch_));
  TRY_STATUS(work.fill(workload));
  WorkDirectory spare = TRY(WorkDirectory::create(scratch_));
  auto place = std::make_shared<Place>(Place{std::move(work), std::move(spare)});
  if (shared) {
    shared_places_[workload.id] = place;
  }
  return place;
}

base::Result<std::unique_ptr<PlannedRun>> CommandPeer::plan(const Workload& workload) {
  class Run : public PlannedRun {
   public:
    Run(const Workload& workload, std::shared_ptr<Place> place, Command command, std::string artifacts)
        : workload_(workload),
          place_(std::move(place)),
          command_(std::move(command)),
          artifact_directory_(std::move(artifacts)) {}

    void execute() override {
      end_ = run_command(command_);
      if (!workload_.expected_artifacts.empty()) {
        artifacts_ = read_artifacts(artifact_directory_);
      }
    }
    [[nodiscard]] Verdict verdict() override {
      Verdict verdict;
      verdict.problem = end_.problem.empty() ? wrong_answer(workload_, end_.output, artifacts_) : end_.problem;
      return verdict;
    }

   private:
    const Workload& workload_;
    std::shared_ptr<Place> place_;  // keeps the directories until the answer was compared
    Command command_;
    std::string artifact_directory_;
    ChildEnd end_;
    NamedBytes artifacts_;
  };

  auto place = TRY(place_for(workload));
  const CommandPlace where{place->work.path(), place->spare.path()};
  Command command = TRY(parts_.command(workload, where));
  const std::string artifacts = parts_.artifacts_in_spare ? where.spare : where.work;
  return std::unique_ptr<PlannedRun>(new Run(workload, std::move(place), std::move(command), artifacts));
}

}  // namespace glovebox::bench
