// Any text as a seccomp profile: the compiler answers with an error or with a program that the kernel would take and
// that decides as the profile says.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "os/bpf_evaluator.h"
#include "seccomp_compiler/profile_check.h"
#include "seccomp_compiler/profile_oracle.h"
#include "seccomp_compiler/profile_reader.h"
#include "seccomp_compiler/program_builder.h"
#include "seccomp_compiler/source_writer.h"

namespace {

using namespace glovebox;

// Small, so that a short text can place every call.
constexpr std::string_view kTable = "0\tread\n1\twrite\n2\topen\n5\tsocket\n";

void expect_verdict(const seccomp_compiler::Profile& profile, std::span<const sock_filter> program,
                    const seccomp_data& data) {
  const auto verdict = os::evaluate(program, data);
  if (!verdict || *verdict != seccomp_compiler::expected_return(profile, data)) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const auto table = seccomp_compiler::read_syscall_table(kTable, "table").value();
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(seccomp_compiler::read_syscall_table(text, "fuzz"));
  const auto profile = seccomp_compiler::read_profile(text, "fuzz", table);
  if (!profile || !seccomp_compiler::check_profile(*profile, table)) {
    return 0;
  }
  const auto program = seccomp_compiler::build_program(*profile);
  if (!program) {
    return 0;
  }
  static_cast<void>(
      seccomp_compiler::write_filters(std::vector{seccomp_compiler::CompiledProfile{*profile, *program}}));
  for (int number = -1; number < 8; ++number) {
    const auto placed = profile->placements.find(static_cast<std::uint32_t>(number));
    seccomp_data data{number, AUDIT_ARCH_X86_64, 0, {}};
    expect_verdict(*profile, *program, data);
    if (placed == profile->placements.end() ||
        !std::holds_alternative<seccomp_compiler::ConditionalIndex>(placed->second)) {
      continue;
    }
    const auto& conditional = profile->conditionals[std::get<seccomp_compiler::ConditionalIndex>(placed->second).value];
    for (std::uint32_t argument = 0; argument < 6; ++argument) {
      for (const std::uint64_t value : seccomp_compiler::interesting_values(conditional, argument)) {
        data.args[argument] = value;
        expect_verdict(*profile, *program, data);
      }
    }
  }
  return 0;
}
