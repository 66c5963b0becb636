#include <fcntl.h>

#include "base/fd.h"
#include "cli/app.h"
#include "cli/records_flags.h"
#include "records/blob_store.h"

namespace glovebox::cli {

int blob_verb(Arguments arguments) {
  CLI::App app("Stores large input files by the SHA-256 of their bytes; cells see them read-only, without a copy.",
               "glovebox blob");
  std::vector<std::string> files;
  CLI::App* add = app.add_subcommand("add", "store files; prints the reference of each");
  add->add_option("FILE", files, "what to store (- for standard input)")->required();
  std::string data;
  add_data_flag(*add, data);
  app.require_subcommand(1);
  app.footer(
      "example:\n"
      "  glovebox blob add measurements.csv\n"
      "  glovebox run script.py --blob measurements.csv=sha256:…\n");
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  const auto directory = data_directory(data);
  if (!directory) {
    return report(directory.error());
  }
  const records::BlobStore store(*directory + "/blobs");
  for (const std::string& path : files) {
    const base::Fd file(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) {
      return report(base::errno_error(base::ErrorCode::invalid_request, "", "cannot open " + path));
    }
    const auto sha256 = store.add(file.get());
    if (!sha256) {
      return report(sha256.error());
    }
    std::printf("sha256:%s  %s\n", sha256->c_str(), path.c_str());
  }
  return 0;
}

}  // namespace glovebox::cli
