// The filter that is linked into Glovebox against the profile in the source tree, call by call.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "os/bpf_evaluator.h"
#include "os/seccomp_filter.h"
#include "seccomp_compiler/profile_check.h"
#include "seccomp_compiler/profile_oracle.h"
#include "seccomp_compiler/profile_reader.h"
#include "seccomp_compiler/program_builder.h"
#include "seccomp_compiler/source_writer.h"

namespace glovebox::seccomp_compiler {
namespace {

std::string file_text(const std::string& name) {
  std::ifstream in(std::string(GLOVEBOX_SOURCE_DIR) + "/profiles/seccomp/" + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class DefaultProfile : public testing::Test {
 protected:
  void SetUp() override {
    auto table = read_syscall_table(file_text("syscalls_x86_64.tsv"), "syscalls_x86_64.tsv");
    ASSERT_TRUE(table) << table.error().message;
    table_ = *table;
    auto profile = read_profile(file_text("default.toml"), "default.toml", table_);
    ASSERT_TRUE(profile) << profile.error().message;
    profile_ = *profile;
    filter_ = os::find_seccomp_filter("default");
    ASSERT_NE(filter_, nullptr);
  }

  void expect_verdict(const seccomp_data& data) const {
    const auto verdict = os::evaluate(filter_->program, data);
    ASSERT_TRUE(verdict) << verdict.error().message;
    ASSERT_EQ(*verdict, expected_return(profile_, data)) << "call " << data.nr << " arch " << data.arch << " args "
                                                         << data.args[0] << ' ' << data.args[1] << ' ' << data.args[2];
  }

  SyscallTable table_;
  Profile profile_;
  const os::SeccompFilter* filter_ = nullptr;
};

TEST_F(DefaultProfile, PassesItsOwnChecks) {
  const auto status = check_profile(profile_, table_);
  EXPECT_TRUE(status) << status.error().message;
}

TEST_F(DefaultProfile, IsWhatWasCompiledIn) {
  auto program = build_program(profile_);
  ASSERT_TRUE(program);
  EXPECT_EQ(profile_key({profile_, *program}), filter_->key);
}

TEST_F(DefaultProfile, DecidesEveryNumberOnEveryArchitecture) {
  std::vector<std::uint32_t> numbers = {0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  for (std::uint32_t number = 0; number <= 600; ++number) {
    numbers.push_back(number);
    numbers.push_back(number | 0x40000000);
  }
  for (const std::uint32_t architecture :
       std::initializer_list<std::uint32_t>{AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64}) {
    for (const std::uint32_t number : numbers) {
      for (const std::uint64_t filling : {0ULL, ~0ULL}) {
        seccomp_data data{};
        data.nr = static_cast<int>(number);
        data.arch = architecture;
        std::fill(std::begin(data.args), std::end(data.args), filling);
        expect_verdict(data);
      }
    }
  }
}

TEST_F(DefaultProfile, DecidesConditionalCallsOverAGridOfArguments) {
  std::size_t decided = 0;
  for (const auto& [number, placement] : profile_.placements) {
    const auto* index = std::get_if<ConditionalIndex>(&placement);
    if (index == nullptr) {
      continue;
    }
    const Conditional& conditional = profile_.conditionals[index->value];
    const auto first = interesting_values(conditional, 0);
    const auto second = interesting_values(conditional, 1);
    const auto third = interesting_values(conditional, 2);
    // Two of the three vary together, so that the grid stays small; no rule here tests more than two arguments.
    for (const std::uint64_t a : first) {
      for (const std::uint64_t b : second) {
        seccomp_data data{static_cast<int>(number), AUDIT_ARCH_X86_64, 0, {a, b, a ^ b, 0, 0, 0}};
        expect_verdict(data);
        ++decided;
      }
    }
    for (const std::uint64_t b : second) {
      for (const std::uint64_t c : third) {
        seccomp_data data{static_cast<int>(number), AUDIT_ARCH_X86_64, 0, {b, b, c, 0, 0, 0}};
        expect_verdict(data);
        ++decided;
      }
    }
  }
  EXPECT_GT(decided, 1000U);
}

TEST_F(DefaultProfile, GivesEveryRuleAReasonAndEveryRefusalAGrant) {
  for (const Rule& rule : profile_.rules) {
    EXPECT_FALSE(rule.reason.empty()) << rule.id;
    EXPECT_EQ(rule.grant.empty(), rule.action == Action::allow) << rule.id;
    EXPECT_EQ(rule.sys_errno == 0, rule.action == Action::allow) << rule.id;
  }
}

// The kernel walks the program for every number when it is installed, so the depth of the tree is the cost.
TEST_F(DefaultProfile, ReadsNoArgumentsOfAllowedCallsAndStaysShallow) {
  for (const auto& [number, placement] : profile_.placements) {
    const auto* rule = std::get_if<RuleIndex>(&placement);
    if (rule == nullptr || profile_.rules[rule->value].action != Action::allow) {
      continue;
    }
    std::size_t steps = 0;
    std::uint32_t word = 0;
    for (std::size_t i = 0; filter_->program[i].code != (BPF_RET | BPF_K); ++i, ++steps) {
      const sock_filter& one = filter_->program[i];
      if (one.code == (BPF_LD | BPF_W | BPF_ABS)) {
        ASSERT_LT(one.k, offsetof(seccomp_data, args)) << number;
        word = one.k == offsetof(seccomp_data, nr) ? number : AUDIT_ARCH_X86_64;
      } else if (one.code == (BPF_JMP | BPF_JA)) {
        i += one.k;
      } else {
        const bool taken = BPF_OP(one.code) == BPF_JEQ ? word == one.k : word >= one.k;
        i += taken ? one.jt : one.jf;
      }
    }
    EXPECT_LE(steps, 16U) << number;
  }
}

}  // namespace
}  // namespace glovebox::seccomp_compiler
