#include "cli/standard_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/verbs.h"
#include "os/files.h"

namespace glovebox::cli {

int print(std::string_view text) {
  const auto written = os::write_all(STDOUT_FILENO, text);
  return written ? 0 : tell_output_failure(written.error().sys_errno);
}

int tell_output_failure(int error_number) {
  if (error_number != EPIPE) {
    std::fprintf(stderr, "glovebox: cannot write to standard output: %s\n", std::strerror(error_number));
  }
  return kExitOurs;
}

int flush_output(int status) {
  const bool failed_before = std::ferror(stdout) != 0;
  return std::fflush(stdout) != 0 || failed_before ? tell_output_failure(errno) : status;
}

}  // namespace glovebox::cli
