// The engine executes plans: it owns the launcher, the place for control groups and the image, and never decides
// whether something may run.
//
// One Engine per process, used from any number of threads; each execute() runs on its caller's thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/event.h"
#include "contract/run_request.h"
#include "contract/run_result.h"
#include "engine/image/host_image.h"
#include "engine/languages/language_profile.h"
#include "engine/launcher/launcher_client.h"
#include "engine/plan/sandbox_plan.h"
#include "engine/pool/pool.h"
#include "engine/supervise/artifacts.h"
#include "engine/supervise/cancel_token.h"
#include "engine/supervise/supervisor.h"
#include "engine/supervise/work_tree.h"
#include "os/cgroup_site.h"

namespace glovebox::engine {

enum class LauncherStyle {
  program,  // glovebox-launcher, for any process
  fork,     // a fork of this process, for a command with one thread that makes its engine first
};

struct EngineOptions {
  LauncherStyle launcher_style = LauncherStyle::program;
  std::string launcher;         // path of glovebox-launcher; empty: beside this program
  std::string cache_directory;  // for the image digest; empty: nothing is cached
  DegradedMode degraded = DegradedMode::refuse;
  PoolOptions pool;
};

// Everything a plan needs beside itself.
struct RunInputs {
  const contract::RunRequest* request = nullptr;
  const LanguageProfile* language = nullptr;
  std::vector<int> blobs;                 // descriptors, in the order of the request's blob files
  std::vector<std::string> also_collect;  // patterns of artifacts beside those of the request
  const WorkBounds* keep_work = nullptr;  // not null: the whole work directory is collected too
  const contract::EventSink* events = nullptr;
  const CancelToken* cancel = nullptr;
  bool cold = false;   // builds a cell, though a warm one may wait
  std::string tenant;  // whose warm cells may serve it
};

struct ExecutionReport {
  SandboxPlan plan;
  bool warm = false;
  std::vector<contract::Attempt> failed_attempts;  // tries before this one, and what of ours failed in each
  SupervisionReport supervision;
  ArtifactHarvest harvest;
  std::optional<WorkTree> work;            // if it was wanted and the program has run
  std::optional<std::string> solve_value;  // the raw bytes that the solve form left behind
  bool solve_value_too_large = false;      // there was one, of more than limits.output_bytes
  std::map<std::string, double> stages;    // milliseconds
};

class Engine {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Engine>> create(EngineOptions options);

  [[nodiscard]] base::Result<SandboxPlan> plan(const contract::RunRequest& request,
                                               const LanguageProfile& language) const;
  // In a warm cell if one fits and waits, else in a cold one. A try that fails before the program is started is
  // repeated on its path; after the second failure the run moves from the warm to the cold path, which has the same
  // walls (F1, F2). A program that may have run is not run again, whatever became of its cell. Fails when there is no
  // plan; a cell that could not be made, and a program that fails, are reports.
  [[nodiscard]] base::Result<ExecutionReport> execute(const RunInputs& inputs);

  // Null without warm cells.
  [[nodiscard]] WarmPool* pool() { return pool_.get(); }

  [[nodiscard]] const Image& image() const { return image_; }
  [[nodiscard]] const HostFacts& host() const { return host_; }
  [[nodiscard]] const os::CgroupSite& cgroup_site() const { return site_; }

 private:
  Engine(EngineOptions options, std::unique_ptr<LauncherClient> launcher, os::CgroupSite site, Image image,
         HostFacts host);

  [[nodiscard]] base::Result<ExecutionReport> run_cold(const RunInputs& inputs, ExecutionReport report);
  [[nodiscard]] ExecutionReport run_warm(const RunInputs& inputs, ExecutionReport report, WarmCell cell);
  // Nothing: the warm path has no cell for it, or has failed twice. `failed` gets every failure.
  [[nodiscard]] std::optional<ExecutionReport> try_warm(const RunInputs& inputs, const ExecutionReport& planned,
                                                        std::vector<contract::Attempt>& failed);
  void tidy_once(unsigned own_groups);

  EngineOptions options_;
  std::once_flag tidied_;
  std::unique_ptr<LauncherClient> launcher_;
  os::CgroupSite site_;
  Image image_;
  HostFacts host_;
  std::unique_ptr<WarmPool> pool_;  // ends before what it uses
};

[[nodiscard]] HostFacts facts_of_host(const os::CgroupSite& site);

}  // namespace glovebox::engine
