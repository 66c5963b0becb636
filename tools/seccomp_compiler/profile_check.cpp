#include "seccomp_compiler/profile_check.h"

#include <bit>
#include <optional>

#include <fmt/format.h>

namespace glovebox::seccomp_compiler {

using base::ErrorCode;
using base::Status;

namespace {

// A BPF return value has 16 bits for the rule's index; a program has at most 4096 instructions anyway.
constexpr std::size_t kMaxRules = 1024;

tl::unexpected<base::Error> fail_at(const Profile& profile, std::size_t line, std::string_view message) {
  return base::fail(ErrorCode::invalid_request, fmt::format("{}:{}: {}", profile.file, line, message));
}

// The smallest x >= low with (x & mask) == value; value has no bits outside mask. None when it would exceed 64 bits.
std::optional<std::uint64_t> first_match(std::uint64_t low, std::uint64_t mask, std::uint64_t value) {
  // Bits above the highest conflict are kept from low; below it everything takes its smallest value.
  const std::uint64_t conflicts = (low & mask) ^ value;
  if (conflicts == 0) {
    return low;
  }
  const int highest = 63 - std::countl_zero(conflicts);
  const std::uint64_t below = (1ULL << highest) - 1;
  const auto with_prefix = [&](std::uint64_t prefix, std::uint64_t suffix_bits) {
    return (prefix & ~suffix_bits) | (value & suffix_bits);
  };
  if (((value >> highest) & 1U) != 0) {
    return with_prefix(low | (1ULL << highest), below);  // the value's 1 over low's 0: already greater
  }
  // low has a 1 where the value wants 0: raise the lowest free 0 above it.
  for (int bit = highest + 1; bit < 64; ++bit) {
    const std::uint64_t one = 1ULL << bit;
    if ((mask & one) == 0 && (low & one) == 0) {
      return with_prefix(low | one, one - 1);
    }
  }
  return std::nullopt;
}

bool list_meets_range(const ArgumentTest& list, const ArgumentTest& range) {
  for (const std::uint64_t value : list.values) {
    const std::optional<std::uint64_t> match = first_match(range.low, list.mask, value);
    if (match && *match <= range.high) {
      return true;
    }
  }
  return false;
}

bool lists_meet(const ArgumentTest& left, const ArgumentTest& right) {
  const std::uint64_t common = left.mask & right.mask;
  for (const std::uint64_t a : left.values) {
    for (const std::uint64_t b : right.values) {
      if ((a & common) == (b & common)) {
        return true;
      }
    }
  }
  return false;
}

// Two cases are apart when some argument that both test keeps them apart.
bool cases_overlap(const Case& left, const Case& right) {
  for (const ArgumentTest& a : left.tests) {
    for (const ArgumentTest& b : right.tests) {
      if (a.argument == b.argument && !tests_overlap(a, b)) {
        return false;
      }
    }
  }
  return true;
}

// The kernel has one declaration of an argument, so all tests of it must agree on the width.
Status check_widths(const Profile& profile, const Conditional& conditional) {
  std::map<std::uint32_t, std::uint32_t> bits_of;
  for (const Case& one : conditional.cases) {
    std::uint32_t seen = 0;
    for (const ArgumentTest& test : one.tests) {
      const std::uint32_t bit = 1U << test.argument;
      if ((seen & bit) != 0) {
        return fail_at(profile, one.line, fmt::format("argument {} is tested twice in one case", test.argument));
      }
      seen |= bit;
      if (bits_of.emplace(test.argument, test.bits).first->second != test.bits) {
        return fail_at(profile, one.line, fmt::format("argument {} has another width elsewhere", test.argument));
      }
    }
  }
  return {};
}

}  // namespace

bool tests_overlap(const ArgumentTest& left, const ArgumentTest& right) {
  const bool left_is_list = !left.values.empty();
  const bool right_is_list = !right.values.empty();
  if (left_is_list && right_is_list) {
    return lists_meet(left, right);
  }
  if (left_is_list) {
    return list_meets_range(left, right);
  }
  if (right_is_list) {
    return list_meets_range(right, left);
  }
  return left.low <= right.high && right.low <= left.high;
}

Status check_profile(const Profile& profile, const SyscallTable& table) {
  if (profile.rules.size() > kMaxRules) {
    return fail_at(profile, 1, fmt::format("more than {} rules", kMaxRules));
  }
  for (const Syscall& call : table.calls) {
    if (!profile.placements.contains(call.number)) {
      return fail_at(profile, 1, fmt::format("system call {} ({}) has no place", call.name, call.number));
    }
  }
  for (const Conditional& conditional : profile.conditionals) {
    TRY_STATUS(check_widths(profile, conditional));
    for (std::size_t i = 0; i < conditional.cases.size(); ++i) {
      for (std::size_t j = i + 1; j < conditional.cases.size(); ++j) {
        if (cases_overlap(conditional.cases[i], conditional.cases[j])) {
          return fail_at(profile, conditional.cases[j].line,
                         fmt::format("the same arguments could match this case and the one at line {}",
                                     conditional.cases[i].line));
        }
      }
    }
  }
  return {};
}

}  // namespace glovebox::seccomp_compiler
