#include "runner/runner.h"

#include <cstdlib>
#include <utility>

#include "base/cleanup.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "engine/languages/language_command.h"
#include "engine/languages/program_error.h"
#include "runner/admission.h"
#include "runner/answer.h"

namespace glovebox::runner {
namespace {

using base::Error;
using base::Result;
using contract::RunRequest;
using contract::RunResult;

struct OpenedBlobs {
  std::vector<records::StoredBlob> blobs;  // keeps the descriptors alive
  std::vector<int> fds;
};

Result<OpenedBlobs> open_blobs(const RunRequest& request, const records::BlobStore& store) {
  OpenedBlobs opened;
  for (std::size_t index = 0; index < request.files.size(); ++index) {
    if (const auto* reference = std::get_if<contract::BlobRef>(&request.files[index].content); reference != nullptr) {
      auto blob = store.open(reference->sha256);
      if (!blob) {
        return base::fail(std::move(blob.error()).with_field("files[" + std::to_string(index) + "].blob"));
      }
      opened.fds.push_back(blob->fd.get());
      opened.blobs.push_back(std::move(*blob));
    }
  }
  return opened;
}

std::string hash_of_inputs(const RunRequest& request) {
  base::Sha256 hash;
  const auto note = [&](std::string_view name, std::string_view bytes_sha256) {
    hash.update(name);
    hash.update(std::string_view("\0", 1));
    hash.update(bytes_sha256);
    hash.update("\n");
  };
  note("stdin", base::sha256_hex(request.standard_input));
  for (const std::string& argument : request.args) {
    note("arg", base::sha256_hex(argument));
  }
  for (const auto& [name, value] : request.env) {
    note("env " + name, base::sha256_hex(value));
  }
  if (request.input_json) {
    note("input", base::sha256_hex(*request.input_json));
  }
  for (const contract::InputFile& file : request.files) {
    const auto* reference = std::get_if<contract::BlobRef>(&file.content);
    note("file " + file.path.str(),
         reference != nullptr ? reference->sha256 : base::sha256_hex(std::get<std::string>(file.content)));
  }
  return hash.hex();
}

std::string home_based(const char* variable, const char* below_home, const char* for_root) {
  if (const char* value = std::getenv(variable); value != nullptr && *value == '/') {
    return std::string(value) + "/glovebox";
  }
  if (::geteuid() == 0) {
    return for_root;
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::string(home) + below_home + "/glovebox";
  }
  return "";
}

}  // namespace

RunnerOptions default_runner_options() {
  RunnerOptions options;
  options.engine.cache_directory = home_based("XDG_CACHE_HOME", "/.cache", "/var/cache/glovebox");
  const std::string data = home_based("XDG_DATA_HOME", "/.local/share", "/var/lib/glovebox");
  options.blob_directory = data.empty() ? "" : data + "/blobs";
  options.language_directories = engine::default_language_directories();
  return options;
}

Runner::Runner(RunnerOptions options, std::unique_ptr<engine::Engine> engine)
    : engine_(std::move(engine)),
      languages_(std::move(options.language_directories)),
      blobs_(std::move(options.blob_directory)) {}

Result<std::unique_ptr<Runner>> Runner::create(RunnerOptions options) {
  auto engine = TRY(engine::Engine::create(options.engine));
  return std::unique_ptr<Runner>(new Runner(std::move(options), std::move(engine)));
}

Result<engine::SandboxPlan> Runner::explain(const RunRequest& request) const {
  TRY_STATUS(admit(request));
  const auto language = TRY(languages_.find(request.language));
  return engine_->plan(request, language);
}

Result<std::shared_ptr<const engine::LanguageProfile>> Runner::language(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = profiles_.find(name); known != profiles_.end()) {
      return known->second;
    }
  }
  auto profile = std::make_shared<const engine::LanguageProfile>(TRY(languages_.find(name)));
  const std::lock_guard lock(mutex_);
  return profiles_.emplace(name, std::move(profile)).first->second;
}

base::Status Runner::prepare(const RunRequest& like, std::uint32_t cells, std::chrono::milliseconds patience) {
  const auto profile = TRY(language(like.language));
  if (engine_->pool() == nullptr) {
    return base::fail(base::make_error(base::ErrorCode::unsupported, "this Runner keeps no warm cells")
                          .with_hint("turn the pool on, on a host that can enforce all limits"));
  }
  return engine_->pool()->prepare(like, *profile, cells, patience);
}

engine::PoolMetrics Runner::pool_metrics() {
  return engine_->pool() == nullptr ? engine::PoolMetrics() : engine_->pool()->metrics();
}

RunResult Runner::run(const RunRequest& request, const RunOptions& options) {
  const std::string run_id = options.run_id.empty() ? new_run_id() : options.run_id;
  Answer answer(request, run_id);
  answer.provenance(hash_of_inputs(request), engine_->image().digest);

  // admit: what the contract allows and this installation can honour
  if (auto admitted = admit(request); !admitted) {
    return answer.refused(admitted.error());
  }
  auto found = language(request.language);
  if (!found) {
    return answer.refused(std::move(found.error()).with_field("language"));
  }
  const engine::LanguageProfile& profile = **found;
  auto blobs = open_blobs(request, blobs_);
  if (!blobs) {
    return answer.refused(blobs.error());
  }

  // execute: in a warm cell if one waits, else in a cold one
  const engine::CancelToken own_token;
  const engine::CancelToken& token = options.cancel != nullptr ? *options.cancel : own_token;
  {
    const std::lock_guard lock(mutex_);
    running_[run_id] = &token;
  }
  const base::Cleanup forget([&] {
    const std::lock_guard lock(mutex_);
    running_.erase(run_id);
  });
  engine::RunInputs inputs;
  inputs.request = &request;
  inputs.language = &profile;
  inputs.blobs = blobs->fds;
  inputs.events = options.events ? &options.events : nullptr;
  inputs.cancel = &token;
  if (options.events) {
    options.events({contract::EventKind::state, "preparing"});
  }
  auto report = engine_->execute(inputs);
  if (!report) {
    return answer.not_executed(report.error());
  }

  // answer: the verdict, what the program left, and why it failed
  return answer.executed(std::move(*report), profile);
}

bool Runner::cancel(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(run_id);
  if (found == running_.end()) {
    return false;
  }
  found->second->cancel();
  return true;
}

}  // namespace glovebox::runner
