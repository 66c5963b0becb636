#include "cli/records_flags.h"

#include <unistd.h>

#include <cerrno>

#include <CLI/CLI.hpp>

#include "os/files.h"
#include "runner/runner.h"

namespace glovebox::cli {

using base::ErrorCode;
using base::fail;
using base::make_error;
using base::Result;

void add_data_flag(CLI::App& app, std::string& data, const std::string& group) {
  app.add_option("--data", data, "the data directory (serve.data of glovebox.toml, else the user's or the system's)")
      ->type_name("DIR")
      ->group(group);
}

void add_records_flags(CLI::App& app, RecordsFlags& flags) {
  add_data_flag(app, flags.data);
  app.add_flag("--json", flags.json, "for machines");
}

Result<std::string> data_directory(const std::string& flag, const runner::Config& config) {
  if (!flag.empty()) {
    return flag;
  }
  std::string directory =
      config.service.serve.data.empty() ? runner::default_data_directory() : config.service.serve.data;
  if (directory.empty()) {
    return fail(make_error(ErrorCode::invalid_request, "no place for records: neither HOME nor XDG_DATA_HOME is set")
                    .with_hint("name one with --data DIR"));
  }
  return directory;
}

Result<std::string> data_directory(const std::string& flag) {
  return data_directory(flag, TRY(runner::load_config(runner::default_config_files())));
}

namespace {

// A directory that we may not look into is not one without records.
base::Status check_access(const std::string& directory) {
  const std::string database = directory + "/glovebox.db";
  const bool has_database = ::access(database.c_str(), F_OK) == 0;
  const std::string& place = has_database || errno == EACCES ? database : directory;
  if ((has_database && ::access(database.c_str(), R_OK | W_OK) == 0) || (!has_database && errno != EACCES)) {
    return {};
  }
  return fail(base::errno_error(ErrorCode::invalid_request, "", "cannot open " + place)
                  .with_hint("the records belong to somebody else: run this as that user or as root, or name another "
                             "directory with --data"));
}

}  // namespace

Result<std::unique_ptr<records::Store>> open_store(const std::string& directory, WhenMissing missing) {
  TRY_STATUS(check_access(directory));
  if (missing == WhenMissing::refuse && !os::path_exists(directory + "/glovebox.db")) {
    return fail(
        make_error(ErrorCode::invalid_request, "there are no records in " + directory)
            .with_hint("`glovebox serve` and `glovebox run --record` keep some; --data names another directory"));
  }
  return records::open_sqlite_store(directory);
}

Result<std::unique_ptr<records::Store>> open_store(const RecordsFlags& flags, WhenMissing missing) {
  return open_store(TRY(data_directory(flags.data)), missing);
}

std::string local_actor() { return "user " + std::to_string(::geteuid()); }

base::Error flag_error(std::string flag, std::string message) {
  return make_error(ErrorCode::invalid_request, std::move(message)).with_field(std::move(flag));
}

}  // namespace glovebox::cli
