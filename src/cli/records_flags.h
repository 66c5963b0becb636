// What the verbs that work on records share: where the records are, and how they are opened.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/standard_output.h"
#include "records/store.h"
#include "runner/config.h"

namespace CLI {
class App;
}

namespace glovebox::cli {

struct RecordsFlags {
  std::string data;
  bool json = false;
};

// --data DIR and --json.
void add_records_flags(CLI::App& app, RecordsFlags& flags);
void add_data_flag(CLI::App& app, std::string& data, const std::string& group = "Options");

// What --data says, else serve.data of glovebox.toml, else the user's or the system's place.
[[nodiscard]] base::Result<std::string> data_directory(const std::string& flag, const runner::Config& config);
[[nodiscard]] base::Result<std::string> data_directory(const std::string& flag);

// A verb that only looks must not leave an empty database behind.
enum class WhenMissing { refuse, create };
[[nodiscard]] base::Result<std::unique_ptr<records::Store>> open_store(const std::string& directory,
                                                                       WhenMissing missing);
[[nodiscard]] base::Result<std::unique_ptr<records::Store>> open_store(const RecordsFlags& flags, WhenMissing missing);

// Who this is, for the audit log: the user that the kernel knows.
[[nodiscard]] std::string local_actor();

[[nodiscard]] base::Error flag_error(std::string flag, std::string message);

}  // namespace glovebox::cli
