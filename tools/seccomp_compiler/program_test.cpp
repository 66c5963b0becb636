// Programs built from made-up profiles, decided by the evaluator and by the oracle.
#include <gtest/gtest.h>

#include <random>

#include "os/bpf_evaluator.h"
#include "seccomp_compiler/profile_check.h"
#include "seccomp_compiler/profile_oracle.h"
#include "seccomp_compiler/program_builder.h"
#include "seccomp_compiler/source_writer.h"

namespace glovebox::seccomp_compiler {
namespace {

Profile base_profile() {
  Profile profile{.file = "p.toml", .name = "p"};
  profile.rules = {
      {.id = "unknown", .action = Action::refuse_quietly, .sys_errno = 38},
      {.id = "yes", .action = Action::allow},
      {.id = "no", .action = Action::refuse_observed, .sys_errno = 1},
      {.id = "never", .action = Action::refuse_observed, .sys_errno = 1},
      {.id = "hush", .action = Action::refuse_quietly, .sys_errno = 22},
  };
  return profile;
}

void expect_same(const Profile& profile, const std::vector<sock_filter>& program, const seccomp_data& data) {
  const auto verdict = os::evaluate(program, data);
  ASSERT_TRUE(verdict) << verdict.error().message;
  ASSERT_EQ(*verdict, expected_return(profile, data)) << data.nr << ' ' << data.args[0] << ' ' << data.args[1];
}

void expect_grid(const Profile& profile) {
  const auto program = build_program(profile);
  ASSERT_TRUE(program) << program.error().message;
  for (const auto& [number, placement] : profile.placements) {
    seccomp_data data{static_cast<int>(number), AUDIT_ARCH_X86_64, 0, {}};
    if (const auto* index = std::get_if<ConditionalIndex>(&placement)) {
      for (const std::uint64_t first : interesting_values(profile.conditionals[index->value], 0)) {
        for (const std::uint64_t second : interesting_values(profile.conditionals[index->value], 1)) {
          data.args[0] = first;
          data.args[1] = second;
          expect_same(profile, *program, data);
        }
      }
    }
    expect_same(profile, *program, data);
    data.nr += 1;
    expect_same(profile, *program, data);
  }
}

Profile with_conditional(std::vector<Case> cases) {
  Profile profile = base_profile();
  profile.conditionals = {{.cases = std::move(cases), .otherwise = 2}};
  profile.placements = {{5, ConditionalIndex{0}}, {6, RuleIndex{1}}, {9, ConditionalIndex{0}}};
  return profile;
}

TEST(SeccompProgram, ComparesSixtyFourBitValuesInBothHalves) {
  const std::uint64_t value = 0x1'0000'0002;
  expect_grid(
      with_conditional({{.tests = {{.argument = 0, .bits = 64, .mask = ~0ULL, .values = {value, 7}}}, .rule = 1}}));
  expect_grid(with_conditional(
      {{.tests = {{.argument = 0, .bits = 64, .mask = 0xff'0000'00ff, .values = {0x01'0000'0002, 0}}}, .rule = 1}}));
}

TEST(SeccompProgram, ComparesRangesOfEveryWidth) {
  for (const std::uint32_t bits : {16U, 32U, 64U}) {
    const std::uint64_t top = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
    for (const auto& [low, high] : {std::pair<std::uint64_t, std::uint64_t>{1, top}, {0, 9}, {3, 3}, {top, top}}) {
      expect_grid(with_conditional(
          {{.tests = {{.argument = 0, .bits = bits, .mask = top, .low = low, .high = high}}, .rule = 1}}));
    }
  }
  expect_grid(with_conditional(
      {{.tests = {{.argument = 0, .bits = 64, .mask = ~0ULL, .low = 0xffff'ffff, .high = 0x1'0000'0000}}, .rule = 1}}));
}

TEST(SeccompProgram, NeedsAllTestsOfACaseAndTriesEveryCase) {
  expect_grid(with_conditional({
      {.tests = {{.argument = 0, .bits = 32, .mask = 0xffffffff, .values = {1, 2}},
                 {.argument = 1, .bits = 64, .mask = ~0ULL, .low = 1, .high = ~0ULL}},
       .rule = 1},
      {.tests = {{.argument = 0, .bits = 32, .mask = 0xffffffff, .values = {3}},
                 {.argument = 1, .bits = 64, .mask = ~0ULL, .values = {0x5'0000'0000}}},
       .rule = 4},
      {.tests = {{.argument = 0, .bits = 32, .mask = 0xffffffff, .values = {4}}}, .rule = 3},
  }));
}

// Conditional jumps reach 255 instructions; a value list of 600 and a table of alternating verdicts are far longer.
TEST(SeccompProgram, JumpsFar) {
  std::vector<std::uint64_t> many;
  for (std::uint64_t value = 0; value < 600; ++value) {
    many.push_back(value * 3);
  }
  Profile profile =
      with_conditional({{.tests = {{.argument = 0, .bits = 32, .mask = 0xffffffff, .values = many}}, .rule = 1},
                        {.tests = {{.argument = 0, .bits = 32, .mask = 0xffffffff, .values = {1}}}, .rule = 4}});
  profile.placements.clear();
  for (std::uint32_t number = 0; number < 900; ++number) {
    profile.placements[number] = RuleIndex{1 + number % 4};
  }
  profile.placements[450] = ConditionalIndex{0};
  profile.placements[890] = ConditionalIndex{0};
  const auto program = build_program(profile);
  ASSERT_TRUE(program);
  for (int number = 0; number < 910; ++number) {
    for (const std::uint64_t argument : {0ULL, 1ULL, 2ULL, 3ULL, 1797ULL, 1800ULL, 0x1'0000'0001ULL}) {
      expect_same(profile, *program, {number, AUDIT_ARCH_X86_64, 0, {argument, 0, 0, 0, 0, 0}});
    }
  }
}

TEST(SeccompProgram, RefusesAProfileThatNeedsMoreThanTheKernelTakes) {
  Profile profile = base_profile();
  for (std::uint32_t number = 0; number < 5000; ++number) {
    profile.placements[number] = RuleIndex{1 + number % 4};
  }
  EXPECT_FALSE(build_program(profile));
}

TEST(SeccompProgram, AgreesWithTheOracleOnRandomProfiles) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 30; ++round) {
    Profile profile = base_profile();
    const std::size_t conditionals = random() % 4;
    for (std::size_t i = 0; i < conditionals; ++i) {
      Conditional conditional{.otherwise = 1 + random() % 4};
      const std::uint32_t bits = 16U << random() % 3;
      const std::uint64_t top = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
      const std::uint64_t mask = random() % 2 == 0 ? top : random() & top;
      for (std::uint64_t value = 0; value < 1 + random() % 5; ++value) {
        Case one{.rule = 1 + random() % 4};
        one.tests.push_back({.argument = 0, .bits = bits, .mask = top, .values = {value}});
        if (random() % 2 == 0) {
          one.tests.push_back({.argument = 1, .bits = bits, .mask = mask, .values = {random() & mask, mask}});
        }
        conditional.cases.push_back(one);
      }
      profile.conditionals.push_back(conditional);
    }
    for (std::uint32_t number = 0; number < 120; ++number) {
      if (random() % 8 == 0) {
        continue;  // a gap
      }
      profile.placements[number] = conditionals > 0 && random() % 40 == 0
                                       ? Placement(ConditionalIndex{random() % conditionals})
                                       : Placement(RuleIndex{random() % 16 == 0 ? 2 + random() % 3 : 1});
    }
    expect_grid(profile);
    if (HasFatalFailure()) {
      FAIL() << "round " << round;
    }
  }
}

TEST(SeccompProgram, HasAKeyThatFollowsVerdictsAndAnswers) {
  Profile profile = base_profile();
  profile.placements[0] = RuleIndex{2};
  const auto key = [](const Profile& one) { return profile_key({one, build_program(one).value()}); };
  const std::string before = key(profile);
  EXPECT_EQ(key(profile), before);
  profile.rules[2].reason = "better words";
  EXPECT_EQ(key(profile), before) << "words are not behaviour";
  profile.rules[2].sys_errno = 13;
  EXPECT_NE(key(profile), before) << "the supervisor's answer is";
  profile.rules[2].sys_errno = 1;
  profile.placements[0] = RuleIndex{1};
  EXPECT_NE(key(profile), before);
}

}  // namespace
}  // namespace glovebox::seccomp_compiler
