#include "seccomp_compiler/profile_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "seccomp_compiler/toml_table.h"

namespace glovebox::seccomp_compiler {

using base::ErrorCode;
using base::Result;
using base::Status;

namespace {

std::optional<int> errno_from_name(std::string_view name) {
  static constexpr std::pair<std::string_view, int> kKnown[] = {
      {"EPERM", EPERM},   {"ENOSYS", ENOSYS},         {"EACCES", EACCES}, {"EINVAL", EINVAL},
      {"ENOTTY", ENOTTY}, {"EOPNOTSUPP", EOPNOTSUPP}, {"ENOMEM", ENOMEM},
  };
  for (const auto& [known, value] : kKnown) {
    if (known == name) {
      return value;
    }
  }
  return std::nullopt;
}

constexpr std::uint64_t low_bits(std::uint32_t bits) { return bits == 64 ? ~0ULL : (1ULL << bits) - 1; }

class Reader {
 public:
  Reader(std::string_view file, const SyscallTable& table) : table_(table) { profile_.file = file; }

  Result<Profile> read(const toml::table& root) {
    TomlTable top(root, profile_.file);
    profile_.name = TRY(top.text("name"));
    if (TRY(top.text("table")) != "x86_64") {
      return top.refuse("table must be \"x86_64\"", root.get("table"));
    }
    for (const std::string_view key : {"foreign_architecture", "x32"}) {
      TRY_STATUS(read_kill(*TRY(top.table(key))));
    }
    TRY_STATUS(read_unlisted(*TRY(top.table("unlisted"))));
    if (const toml::node* constants = top.find("constants")) {
      TRY_STATUS(read_constants(*constants));
    }
    TRY_STATUS(read_groups(top, "allow", &Reader::read_allow));
    TRY_STATUS(read_groups(top, "refuse", &Reader::read_refuse));
    TRY_STATUS(read_groups(top, "conditional", &Reader::read_conditional));
    TRY_STATUS(top.finish());
    for (const auto& [name, constant] : constants_) {
      if (!constant.used) {
        return fail_at(constant.line, fmt::format("constant {} is never used", name));
      }
    }
    return std::move(profile_);
  }

 private:
  struct Constant {
    std::uint64_t value = 0;
    std::size_t line = 0;
    bool used = false;
  };

  [[nodiscard]] tl::unexpected<base::Error> fail_at(std::size_t line, std::string_view message) const {
    return base::fail(ErrorCode::invalid_request, fmt::format("{}:{}: {}", profile_.file, line, message));
  }

  // There is one answer to a foreign way into the kernel; the section exists so that the reason is written down.
  Status read_kill(const toml::table& node) {
    TomlTable section(node, profile_.file);
    if (TRY(section.text("action")) != "kill_process") {
      return section.refuse("action must be \"kill_process\"");
    }
    static_cast<void>(TRY(section.text("reason")));
    return section.finish();
  }

  Status read_unlisted(const toml::table& node) {
    TomlTable section(node, profile_.file);
    Rule rule{.action = Action::refuse_quietly,
              .grant = "nothing: this filter does not know the call",
              .line = section.line()};
    rule.id = TRY(section.text("id"));
    rule.reason = TRY(section.text("reason"));
    rule.sys_errno = TRY(read_errno(section));
    TRY_STATUS(section.finish());
    profile_.unlisted = TRY(add_rule(std::move(rule)));
    return {};
  }

  Status read_constants(const toml::node& node) {
    if (!node.is_table()) {
      return fail_at(line_of(node), "[constants] must be a table");
    }
    for (const auto& [key, value] : *node.as_table()) {
      if (!value.is_integer() || value.as_integer()->get() < 0) {
        return fail_at(line_of(value), fmt::format("constant {} must be a number from 0 up", key.str()));
      }
      constants_[std::string(key.str())] = {static_cast<std::uint64_t>(value.as_integer()->get()), line_of(value)};
    }
    return {};
  }

  Status read_groups(TomlTable& top, std::string_view key, Status (Reader::*read_group)(TomlTable&)) {
    const toml::node* node = top.find(key);
    if (node == nullptr) {
      return {};
    }
    if (!node->is_array()) {
      return fail_at(line_of(*node), fmt::format("write [[{}]]", key));
    }
    for (const toml::node& item : *node->as_array()) {
      if (!item.is_table()) {
        return fail_at(line_of(item), fmt::format("write [[{}]]", key));
      }
      TomlTable group(*item.as_table(), profile_.file);
      TRY_STATUS((this->*read_group)(group));
      TRY_STATUS(group.finish());
    }
    return {};
  }

  Status read_allow(TomlTable& group) {
    Rule rule{.action = Action::allow, .line = group.line()};
    rule.id = TRY(group.text("id"));
    rule.reason = TRY(group.text("reason"));
    const std::size_t index = TRY(add_rule(std::move(rule)));
    return place_calls(group, RuleIndex{index});
  }

  Status read_refuse(TomlTable& group) {
    Rule rule{.line = group.line()};
    rule.id = TRY(group.text("id"));
    TRY_STATUS(read_refusal(group, rule));
    const std::size_t index = TRY(add_rule(std::move(rule)));
    return place_calls(group, RuleIndex{index});
  }

  Status read_conditional(TomlTable& group) {
    const std::string reason = TRY(group.text("reason"));
    Conditional conditional{.line = group.line()};
    for (const toml::node& item : *TRY(group.array("case"))) {
      if (!item.is_table()) {
        return fail_at(line_of(item), "write [[conditional.case]]");
      }
      TomlTable one(*item.as_table(), profile_.file);
      Case entry{.line = one.line()};
      entry.rule = TRY(read_branch(one, reason));
      for (const toml::node& test : *TRY(one.array("when"))) {
        if (!test.is_table()) {
          return fail_at(line_of(test), "a test is written { arg = …, type = …, in = […] }");
        }
        TomlTable fields(*test.as_table(), profile_.file);
        entry.tests.push_back(TRY(read_test(fields)));
        TRY_STATUS(fields.finish());
      }
      TRY_STATUS(one.finish());
      conditional.cases.push_back(std::move(entry));
    }
    TomlTable otherwise(*TRY(group.table("otherwise")), profile_.file);
    conditional.otherwise = TRY(read_branch(otherwise, reason));
    TRY_STATUS(otherwise.finish());
    profile_.conditionals.push_back(std::move(conditional));
    return place_calls(group, ConditionalIndex{profile_.conditionals.size() - 1});
  }

  // A case or an otherwise: its verdict becomes a rule. Allowing takes the reason of the whole conditional.
  Result<std::size_t> read_branch(TomlTable& branch, const std::string& reason) {
    Rule rule{.reason = reason, .line = branch.line()};
    rule.id = TRY(branch.text("id"));
    const std::string verdict = TRY(branch.text("verdict"));
    if (verdict == "allow") {
      rule.action = Action::allow;
    } else if (verdict == "refuse") {
      TRY_STATUS(read_refusal(branch, rule));
    } else {
      return branch.refuse("verdict must be \"allow\" or \"refuse\"");
    }
    return add_rule(std::move(rule));
  }

  Status read_refusal(TomlTable& group, Rule& rule) {
    rule.reason = TRY(group.text("reason"));
    rule.grant = TRY(group.text("grant"));
    rule.sys_errno = TRY(read_errno(group));
    const toml::node* observe = group.find("observe");
    if (observe == nullptr || !observe->is_boolean()) {
      return group.refuse("observe must be true or false", observe);
    }
    rule.action = observe->as_boolean()->get() ? Action::refuse_observed : Action::refuse_quietly;
    return {};
  }

  Result<int> read_errno(TomlTable& group) {
    const std::string name = TRY(group.text("errno"));
    const std::optional<int> value = errno_from_name(name);
    if (!value) {
      return group.refuse(fmt::format("errno {} is not one this compiler knows", name));
    }
    return *value;
  }

  Result<ArgumentTest> read_test(TomlTable& fields) {
    ArgumentTest test;
    const toml::node* arg = fields.find("arg");
    if (arg == nullptr || !arg->is_integer() || arg->as_integer()->get() < 0 || arg->as_integer()->get() > 5) {
      return fields.refuse("arg must be 0 to 5", arg);
    }
    test.argument = static_cast<std::uint32_t>(arg->as_integer()->get());
    const std::string type = TRY(fields.text("type"));
    if (type != "u16" && type != "u32" && type != "u64") {
      return fields.refuse("type must be \"u16\", \"u32\" or \"u64\"");
    }
    test.bits = type == "u16" ? 16 : type == "u32" ? 32 : 64;
    test.mask = low_bits(test.bits);
    test.high = low_bits(test.bits);
    if (fields.find("in") != nullptr) {
      TRY_STATUS(read_value(fields, "mask", test.bits, test.mask));
      return read_list(fields, std::move(test));
    }
    const bool ranged = fields.find("at_least") != nullptr || fields.find("at_most") != nullptr;
    TRY_STATUS(read_value(fields, "at_least", test.bits, test.low));
    TRY_STATUS(read_value(fields, "at_most", test.bits, test.high));
    if (!ranged || test.low > test.high) {
      return fields.refuse("a test needs in = […], or at_least and at_most that leave something to match");
    }
    return test;
  }

  Result<ArgumentTest> read_list(TomlTable& fields, ArgumentTest test) {
    std::set<std::uint64_t> seen;
    for (const toml::node& item : *TRY(fields.array("in"))) {
      const std::uint64_t value = TRY(resolve(item, test.bits));
      if ((value & ~test.mask) != 0) {
        return fields.refuse(fmt::format("{:#x} has bits outside the mask and can never match", value), &item);
      }
      if (!seen.insert(value).second) {
        return fields.refuse(fmt::format("{:#x} is listed twice", value), &item);
      }
      test.values.push_back(value);
    }
    return test;
  }

  // Leaves `value` alone when the key is absent.
  Status read_value(TomlTable& fields, std::string_view key, std::uint32_t bits, std::uint64_t& value) {
    if (const toml::node* node = fields.find(key)) {
      value = TRY(resolve(*node, bits));
    }
    return {};
  }

  Result<std::uint64_t> resolve(const toml::node& node, std::uint32_t bits) {
    std::uint64_t value = 0;
    if (node.is_string()) {
      const auto found = constants_.find(node.as_string()->get());
      if (found == constants_.end()) {
        return fail_at(line_of(node), fmt::format("unknown constant {}", node.as_string()->get()));
      }
      found->second.used = true;
      value = found->second.value;
    } else if (node.is_integer() && node.as_integer()->get() >= 0) {
      value = static_cast<std::uint64_t>(node.as_integer()->get());
    } else {
      return fail_at(line_of(node), "expected a constant's name or a number from 0 up");
    }
    if ((value & ~low_bits(bits)) != 0) {
      return fail_at(line_of(node), fmt::format("{:#x} does not fit into {} bits", value, bits));
    }
    return value;
  }

  Status place_calls(TomlTable& group, const Placement& placement) {
    for (const toml::node& item : *TRY(group.array("calls"))) {
      if (!item.is_string()) {
        return group.refuse("calls must be names", &item);
      }
      const std::string& name = item.as_string()->get();
      const Syscall* call = table_.find(name);
      if (call == nullptr) {
        return group.refuse(fmt::format("unknown system call {}", name), &item);
      }
      if (!profile_.placements.emplace(call->number, placement).second) {
        return group.refuse(fmt::format("{} already has a place at line {}", name, placed_at_[name]), &item);
      }
      placed_at_[name] = line_of(item);
    }
    return {};
  }

  Result<std::size_t> add_rule(Rule rule) {
    if (!ids_.insert(rule.id).second) {
      return fail_at(rule.line, fmt::format("rule id {} is used twice", rule.id));
    }
    profile_.rules.push_back(std::move(rule));
    return profile_.rules.size() - 1;
  }

  const SyscallTable& table_;
  Profile profile_;
  std::map<std::string, Constant> constants_;
  std::map<std::string, std::size_t> placed_at_;
  std::set<std::string> ids_;
};

}  // namespace

Result<Profile> read_profile(std::string_view text, std::string_view file, const SyscallTable& table) {
  // The parser's tables of other letters have holes that it takes for unreachable; no profile needs such letters.
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) > 0x7e) {
      const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i), '\n') + 1;
      return base::fail(ErrorCode::invalid_request, fmt::format("{}:{}: a profile is plain ASCII", file, line));
    }
  }
  try {
    const toml::table root = toml::parse(text, file);
    return Reader(file, table).read(root);
  } catch (const toml::parse_error& error) {
    return base::fail(ErrorCode::invalid_request,
                      fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  } catch (const std::logic_error& error) {
    return base::fail(ErrorCode::invalid_request, fmt::format("{}:1: {}", file, error.what()));
  }
}

}  // namespace glovebox::seccomp_compiler
