#include "seccomp_compiler/program_builder.h"

#include <linux/audit.h>
#include <linux/seccomp.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include <fmt/format.h>

namespace glovebox::seccomp_compiler {

namespace {

constexpr std::uint32_t kX32Bit = 0x40000000;
constexpr std::uint32_t kNoCall = 0xffffffff;  // syscall(-1): programs use it to provoke ENOSYS
constexpr std::size_t kFarJump = 240;          // conditional jumps reach 255; the rest is room for the jumps we add

using Place = std::size_t;

// Writes a program from its end to its start. BPF only jumps forward, so every target already has its place when the
// jump to it is written: no labels, no second pass, and a far target costs exactly one unconditional jump.
class BackwardEmitter {
 public:
  Place give_back(std::uint32_t value) {
    const auto known = returns_.find(value);
    if (known != returns_.end() && distance(known->second) <= kFarJump) {
      return known->second;
    }
    return returns_[value] = emit(BPF_RET | BPF_K, 0, 0, value);
  }

  Place branch(int comparison, std::uint32_t operand, Place if_true, Place if_false) {
    if_true = near(if_true);
    if_false = near(if_false);
    return emit(BPF_JMP | comparison | BPF_K, distance(if_true), distance(if_false), operand);
  }

  // Loads a word of seccomp_data, keeps the bits of mask, and goes on at `next`.
  Place load(std::size_t offset, std::uint32_t mask, Place next) {
    if (distance(next) != 0) {
      next = jump(next);
    }
    if (mask != 0xffffffff) {
      emit(BPF_ALU | BPF_AND | BPF_K, 0, 0, mask);
    }
    return emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset));
  }

  [[nodiscard]] std::vector<sock_filter> finish() && {
    std::reverse(reversed_.begin(), reversed_.end());
    return std::move(reversed_);
  }

 private:
  // Instructions between the next one to be emitted and the target.
  [[nodiscard]] std::size_t distance(Place target) const { return reversed_.size() - 1 - target; }
  Place jump(Place target) { return emit(BPF_JMP | BPF_JA, 0, 0, static_cast<std::uint32_t>(distance(target))); }
  Place near(Place target) { return distance(target) <= kFarJump ? target : jump(target); }
  Place emit(int code, std::size_t if_true, std::size_t if_false, std::uint32_t operand) {
    reversed_.push_back({static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(if_true),
                         static_cast<std::uint8_t>(if_false), operand});
    return reversed_.size() - 1;
  }

  std::vector<sock_filter> reversed_;
  std::map<std::uint32_t, Place> returns_;  // the nearest return of each value
};

// Numbers from `first` up to the next run's first share one verdict.
struct Run {
  std::uint32_t first = 0;
  Placement placement;
};

// A 64-bit argument is two words for BPF; x86_64 keeps the low one first.
constexpr std::size_t low_word(std::uint32_t argument) { return offsetof(seccomp_data, args) + 8 * argument; }
constexpr std::size_t high_word(std::uint32_t argument) { return low_word(argument) + 4; }
constexpr std::uint32_t low_half(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high_half(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32U); }

class Builder {
 public:
  explicit Builder(const Profile& profile) : profile_(profile) {}

  std::vector<sock_filter> build() {
    const std::vector<Run> runs = find_runs();
    const Place tree = emit_tree(runs, 0, runs.size());
    const Place kill = out_.give_back(SECCOMP_RET_KILL_PROCESS);
    const Place foreign_number = out_.branch(BPF_JEQ, kNoCall, emit_rule(profile_.unlisted), kill);
    const Place number = out_.branch(BPF_JGE, kX32Bit, foreign_number, tree);
    const Place native = out_.load(offsetof(seccomp_data, nr), ~0U, number);
    const Place architecture = out_.branch(BPF_JEQ, AUDIT_ARCH_X86_64, native, kill);
    out_.load(offsetof(seccomp_data, arch), ~0U, architecture);
    return std::move(out_).finish();
  }

 private:
  [[nodiscard]] std::vector<Run> find_runs() const {
    std::vector<Run> runs;
    const Placement unlisted = RuleIndex{profile_.unlisted};
    const auto add = [&](std::uint32_t number, const Placement& placement) {
      if (runs.empty() || !same_verdict(runs.back().placement, placement)) {
        runs.push_back({number, placement});
      }
    };
    std::uint32_t next = 0;
    for (const auto& [number, placement] : profile_.placements) {
      if (number > next) {
        add(next, unlisted);
      }
      add(number, placement);
      next = number + 1;
    }
    add(next, unlisted);
    return runs;
  }

  [[nodiscard]] bool same_verdict(const Placement& left, const Placement& right) const {
    const auto* left_rule = std::get_if<RuleIndex>(&left);
    const auto* right_rule = std::get_if<RuleIndex>(&right);
    if (left_rule != nullptr && right_rule != nullptr) {
      return return_value(left_rule->value) == return_value(right_rule->value);
    }
    return left == right;
  }

  [[nodiscard]] std::uint32_t return_value(std::size_t rule) const {
    switch (profile_.rules[rule].action) {
      case Action::allow:
        return SECCOMP_RET_ALLOW;
      case Action::refuse_observed:
        return SECCOMP_RET_USER_NOTIF | static_cast<std::uint32_t>(rule);
      case Action::refuse_quietly:
        return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(profile_.rules[rule].sys_errno);
    }
    return SECCOMP_RET_KILL_PROCESS;
  }

  Place emit_tree(const std::vector<Run>& runs, std::size_t begin, std::size_t end) {
    if (end - begin == 1) {
      return emit_leaf(runs[begin].placement);
    }
    if (end - begin == 3 && runs[begin + 2].first == runs[begin + 1].first + 1 &&
        same_verdict(runs[begin].placement, runs[begin + 2].placement)) {
      const Place around = emit_leaf(runs[begin].placement);
      return out_.branch(BPF_JEQ, runs[begin + 1].first, emit_leaf(runs[begin + 1].placement), around);
    }
    const std::size_t middle = begin + (end - begin) / 2;
    const Place right = emit_tree(runs, middle, end);
    const Place left = emit_tree(runs, begin, middle);
    return out_.branch(BPF_JGE, runs[middle].first, right, left);
  }

  Place emit_rule(std::size_t rule) { return out_.give_back(return_value(rule)); }

  Place emit_leaf(const Placement& placement) {
    if (const auto* rule = std::get_if<RuleIndex>(&placement)) {
      return emit_rule(rule->value);
    }
    const std::size_t index = std::get<ConditionalIndex>(placement).value;
    const auto known = conditionals_.find(index);
    if (known != conditionals_.end()) {
      return known->second;
    }
    return conditionals_[index] = emit_conditional(profile_.conditionals[index]);
  }

  Place emit_conditional(const Conditional& conditional) {
    if (is_switch(conditional)) {
      return emit_switch(conditional);
    }
    Place next = emit_rule(conditional.otherwise);
    for (auto one = conditional.cases.rbegin(); one != conditional.cases.rend(); ++one) {
      Place pass = emit_rule(one->rule);
      for (auto test = one->tests.rbegin(); test != one->tests.rend(); ++test) {
        pass = emit_test(*test, pass, next);
      }
      next = pass;
    }
    return next;
  }

  // Every case asks for values of one and the same masked word: it is loaded once.
  static bool is_switch(const Conditional& conditional) {
    const ArgumentTest& first = conditional.cases.front().tests.front();
    return std::all_of(conditional.cases.begin(), conditional.cases.end(), [&](const Case& one) {
      const ArgumentTest& test = one.tests.front();
      return one.tests.size() == 1 && !test.values.empty() && test.bits <= 32 && test.argument == first.argument &&
             test.mask == first.mask;
    });
  }

  Place emit_switch(const Conditional& conditional) {
    const ArgumentTest& subject = conditional.cases.front().tests.front();
    Place next = emit_rule(conditional.otherwise);
    for (auto one = conditional.cases.rbegin(); one != conditional.cases.rend(); ++one) {
      const Place verdict = emit_rule(one->rule);
      for (auto value = one->tests.front().values.rbegin(); value != one->tests.front().values.rend(); ++value) {
        next = out_.branch(BPF_JEQ, low_half(*value), verdict, next);
      }
    }
    return out_.load(low_word(subject.argument), low_half(subject.mask), next);
  }

  Place emit_test(const ArgumentTest& test, Place pass, Place fail) {
    if (test.values.empty()) {
      const Place within = emit_at_least(test, test.low, pass, fail);
      return emit_above(test, test.high, fail, within);
    }
    if (test.bits <= 32) {
      Place next = fail;
      for (auto value = test.values.rbegin(); value != test.values.rend(); ++value) {
        next = out_.branch(BPF_JEQ, low_half(*value), pass, next);
      }
      return out_.load(low_word(test.argument), low_half(test.mask), next);
    }
    Place next = fail;
    for (auto value = test.values.rbegin(); value != test.values.rend(); ++value) {
      const Place low =
          out_.load(low_word(test.argument), low_half(test.mask), out_.branch(BPF_JEQ, low_half(*value), pass, next));
      next =
          out_.load(high_word(test.argument), high_half(test.mask), out_.branch(BPF_JEQ, high_half(*value), low, next));
    }
    return next;
  }

  Place emit_at_least(const ArgumentTest& test, std::uint64_t bound, Place yes, Place no) {
    return emit_order(BPF_JGE, test, bound, yes, no);
  }
  Place emit_above(const ArgumentTest& test, std::uint64_t bound, Place yes, Place no) {
    return emit_order(BPF_JGT, test, bound, yes, no);
  }

  // The high halves decide unless they are equal; `comparison` is for the low halves.
  Place emit_order(int comparison, const ArgumentTest& test, std::uint64_t bound, Place yes, Place no) {
    const std::uint32_t low_mask = test.bits >= 32 ? ~0U : (1U << test.bits) - 1;
    const Place low = out_.load(low_word(test.argument), low_mask, out_.branch(comparison, low_half(bound), yes, no));
    if (test.bits <= 32) {
      return low;
    }
    const Place equal = out_.branch(BPF_JEQ, high_half(bound), low, no);
    return out_.load(high_word(test.argument), ~0U, out_.branch(BPF_JGT, high_half(bound), yes, equal));
  }

  const Profile& profile_;
  BackwardEmitter out_;
  std::map<std::size_t, Place> conditionals_;
};

}  // namespace

base::Result<std::vector<sock_filter>> build_program(const Profile& profile) {
  std::vector<sock_filter> program = Builder(profile).build();
  if (program.size() > BPF_MAXINSNS) {
    return base::fail(base::ErrorCode::invalid_request,
                      fmt::format("{}:1: the program has {} instructions, the kernel takes {}", profile.file,
                                  program.size(), BPF_MAXINSNS));
  }
  return program;
}

}  // namespace glovebox::seccomp_compiler
