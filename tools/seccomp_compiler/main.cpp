// seccomp_compiler OUT_DIR TABLE.tsv PROFILE.toml…: writes seccomp_filters.inc and syscall_table.inc into OUT_DIR.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "seccomp_compiler/profile_check.h"
#include "seccomp_compiler/profile_reader.h"
#include "seccomp_compiler/program_builder.h"
#include "seccomp_compiler/source_writer.h"

namespace glovebox::seccomp_compiler {
namespace {

base::Result<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) {
    return base::fail(base::errno_error(base::ErrorCode::invalid_request, "read", path));
  }
  return text;
}

base::Status write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text << std::flush;
  if (!out) {
    return base::fail(base::errno_error(base::ErrorCode::internal_error, "write", path));
  }
  return {};
}

base::Status run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) {
    return base::fail(base::ErrorCode::invalid_request, "usage: seccomp_compiler OUT_DIR TABLE.tsv PROFILE.toml…");
  }
  const std::string table_text = TRY(read_file(arguments[1]));
  const SyscallTable table = TRY(read_syscall_table(table_text, arguments[1]));
  std::vector<CompiledProfile> compiled;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::string text = TRY(read_file(arguments[i]));
    Profile profile = TRY(read_profile(text, arguments[i], table));
    TRY_STATUS(check_profile(profile, table));
    std::vector<sock_filter> program = TRY(build_program(profile));
    compiled.push_back({std::move(profile), std::move(program)});
  }
  TRY_STATUS(write_file(arguments[0] + "/syscall_table.inc", write_syscall_table(table)));
  return write_file(arguments[0] + "/seccomp_filters.inc", write_filters(compiled));
}

}  // namespace
}  // namespace glovebox::seccomp_compiler

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto status = glovebox::seccomp_compiler::run(arguments);
  if (!status) {
    std::cerr << glovebox::base::describe(status.error()) << '\n';
    return 1;
  }
  return 0;
}
