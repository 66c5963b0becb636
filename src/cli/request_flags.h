// The flags that describe a run, shared by `run` and `explain`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/run_request.h"
#include "engine/languages/catalogue.h"
#include "runner/config.h"
#include "runner/runner.h"

namespace CLI {
class App;
}

namespace glovebox::cli {

struct RequestFlags {
  std::vector<std::string> words;  // the script, then its arguments
  std::string code;
  bool has_code = false;
  std::string language;
  std::string request_file;
  std::vector<std::string> files;
  std::vector<std::string> blobs;
  std::vector<std::string> env;
  std::vector<std::string> collect;
  std::optional<std::string> standard_input;
  std::string standard_input_file;
  bool takes_piped_input = false;  // what is piped into us is the program's, unless a flag says otherwise
  std::string expect_file;
  std::string input;
  bool has_input = false;
  std::string isolation;
  std::string policy;
  std::string policy_directory;
  std::vector<std::string> approved_rules;
  std::map<std::string, std::string> limits;  // field → what was typed
  std::string artifact_directory;
  bool overwrite = false;
  bool deterministic = false;
  bool degraded = false;
  bool warm = false;
  bool record = false;
  bool serves = false;  // many runs, from many threads
  std::string data;     // the directory of records and blobs; empty: the usual one
  bool json = false;
  bool quiet = false;
};

void add_request_flags(CLI::App& app, RequestFlags& flags);

// The Runner of a command that runs once. The degraded mode is allowed by --degraded or by glovebox.toml. With --record
// it keeps records as a visitor, beside a service that may work on the same directory.
[[nodiscard]] base::Result<std::unique_ptr<runner::Runner>> make_runner(const RequestFlags& flags);

// Reads the files that the flags name. Every error says which flag or file is at fault.
[[nodiscard]] base::Result<contract::RunRequest> build_request(const RequestFlags& flags,
                                                               const engine::LanguageCatalogue& languages);

}  // namespace glovebox::cli
