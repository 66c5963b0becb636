#include "runner/stored_secret.h"

#include <stdlib.h>

#include <filesystem>

#include "base/cleanup.h"
#include "base/secrets.h"
#include "os/files.h"
#include "records/record_json.h"

namespace glovebox::runner {
namespace {

using contract::RunRequest;
using contract::RunResult;

// Short and ordinary, so that they are stored as they are: each place of the secret has a word of its own.
constexpr std::string_view kWords[] = {"glovebox-code",     "glovebox-stdin",  "glovebox-file",
                                       "glovebox-argument", "glovebox-stdout", "glovebox-artifact"};

constexpr std::size_t kMaxSearchedFileBytes = 64U << 20U;

RunRequest program_with(const std::string& secret) {
  RunRequest request;
  request.language = "python";
  request.limits.wall_ms = 60'000;
  request.limits.cpu_ms = 60'000;
  request.code = "import sys  # glovebox-code " + secret +
                 "\nkey = sys.stdin.read().split()[1]\n"
                 "assert key in open('note.txt').read() and key in sys.argv[1]\n"
                 "print('glovebox-stdout', key)\n"
                 "open('left.txt', 'w').write('glovebox-artifact ' + key)\n";
  request.standard_input = "glovebox-stdin " + secret;
  auto name = base::RelPath::parse("note.txt");
  request.files.push_back({std::move(*name), "glovebox-file " + secret});
  request.args = {"glovebox-argument " + secret};
  request.artifacts = {"left.txt"};
  return request;
}

std::string everything_below(const std::string& directory) {
  std::string bytes;
  std::error_code ignored;
  for (auto at = std::filesystem::recursive_directory_iterator(directory, ignored);
       at != std::filesystem::recursive_directory_iterator(); at.increment(ignored)) {
    if (at->is_regular_file(ignored) && !at->is_symlink(ignored)) {
      bytes += os::read_file(at->path(), kMaxSearchedFileBytes).value_or("");
    }
  }
  return bytes;
}

// As the store gives it back: what it compressed is readable here.
base::Result<std::string> read_back(records::Store& store, const std::string& run_id) {
  const auto record = TRY(store.find(run_id));
  if (!record) {
    return base::fail(base::ErrorCode::internal_error, "the recorded run is not in the store");
  }
  std::string text = records::to_json(*record);
  const auto artifact = TRY(store.artifact(run_id, "left.txt"));
  return text + (artifact ? artifact->bytes : "");
}

base::Result<StoredSecret> record_and_look(const ProofOptions& options, const ProbeRun& run,
                                           const std::string& directory) {
  RunnerOptions recording = options.runner;
  recording.engine.launcher_style = engine::LauncherStyle::program;  // a store has threads
  recording.blob_directory = directory + "/blobs";
  recording.ledger = LedgerOptions{directory, LedgerUse::visit, {}};
  recording.ledger->settings.redaction = options.redaction;
  auto runner = TRY(Runner::create(std::move(recording)));
  // The form of a widespread kind of key.
  const std::string secret = "ghp_" + base::random_hex(18);
  const RunResult result = run(*runner, program_with(secret));
  if (result.outcome != contract::Outcome::ok || result.artifacts.size() != 1) {
    return StoredSecret{false, "the recorded run did not end well: " + std::string(to_string(result.outcome)) +
                                   (result.error ? ", " + result.error->message : "")};
  }
  std::string kept = TRY(read_back(runner->ledger()->store(), result.run_id));
  runner.reset();
  const std::string on_disk = everything_below(directory);
  for (const std::string_view word : kWords) {
    if (kept.find(word) == std::string::npos) {
      return StoredSecret{false, "the record lacks the words \"" + std::string(word) + "\" beside the secret"};
    }
  }
  if (on_disk.find(kWords[0]) == std::string::npos) {
    return StoredSecret{false, "the files of the record could not be looked through"};
  }
  if (on_disk.find(secret) != std::string::npos || kept.find(secret) != std::string::npos) {
    return StoredSecret{false, options.redaction.enabled ? "a secret was stored as it is"
                                                         : "a secret was stored as it is: redaction.enabled is false"};
  }
  return StoredSecret{true,
                      "a key in a program's text, input, file, argument, output and artifact was recorded, and "
                      "is in none of the stored bytes"};
}

}  // namespace

StoredSecret try_to_store_a_secret(const ProofOptions& options, const ProbeRun& run) {
  std::string directory = "/tmp/glovebox-doctor-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) {
    return {false, "no temporary directory for records"};
  }
  const base::Cleanup remove([&] {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  });
  auto found = record_and_look(options, run, directory);
  return found ? std::move(*found) : StoredSecret{false, base::describe(found.error())};
}

}  // namespace glovebox::runner
