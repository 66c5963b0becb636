// A seccomp profile as a value: what profiles/seccomp/*.toml says, checked and with every name resolved.
//
// The compiler is a pipeline of pure functions: read_syscall_table and read_profile turn text into these structs,
// check_profile proves that every call has exactly one place and that no two cases overlap, build_program turns the
// profile into BPF, write_filters turns that into C++. It runs while Glovebox is built, never while a cell is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace glovebox::seccomp_compiler {

struct Syscall {
  std::uint32_t number = 0;
  std::string name{};
  bool operator==(const Syscall&) const = default;
};

// Sorted by number; names and numbers are unique.
struct SyscallTable {
  std::vector<Syscall> calls{};
  [[nodiscard]] const Syscall* find(std::string_view name) const;
};

enum class Action {
  allow,
  refuse_observed,  // the supervisor is notified and answers with the rule's errno
  refuse_quietly,   // the kernel answers with the rule's errno
};

struct Rule {
  std::string id{};
  Action action = Action::refuse_observed;
  int sys_errno = 0;  // 0 for allow
  std::string reason{};
  std::string grant{};  // empty for allow
  std::size_t line = 0;
};

// Looks at the low `bits` bits of one argument, as unsigned: masked value in a list, or value within [low, high].
struct ArgumentTest {
  std::uint32_t argument = 0;           // 0..5
  std::uint32_t bits = 32;              // 16, 32 or 64: as many as the kernel's own declaration of the argument has
  std::uint64_t mask = 0;               // within `bits`
  std::vector<std::uint64_t> values{};  // empty: the test is a range
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// All tests must hold.
struct Case {
  std::vector<ArgumentTest> tests{};
  std::size_t rule = 0;
  std::size_t line = 0;
};

struct Conditional {
  std::vector<Case> cases{};
  std::size_t otherwise = 0;  // index of a rule
  std::size_t line = 0;
};

struct RuleIndex {
  std::size_t value = 0;
  auto operator<=>(const RuleIndex&) const = default;
};
struct ConditionalIndex {
  std::size_t value = 0;
  auto operator<=>(const ConditionalIndex&) const = default;
};
using Placement = std::variant<RuleIndex, ConditionalIndex>;

struct Profile {
  std::string file{};  // for messages
  std::string name{};
  std::vector<Rule> rules{};
  std::vector<Conditional> conditionals{};
  std::map<std::uint32_t, Placement> placements{};  // call number → its one place
  std::size_t unlisted = 0;                         // rule for numbers that the table does not have
};

}  // namespace glovebox::seccomp_compiler
