#include "policy/name_examples.h"

#include <algorithm>

namespace glovebox::policy {
namespace {

bool is_identifier_letter(char letter, Syntax syntax) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_' || (letter == '$' && syntax == Syntax::javascript);
}

bool is_identifier(std::string_view text, Syntax syntax) {
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9') &&
         std::all_of(text.begin(), text.end(), [&](char letter) { return is_identifier_letter(letter, syntax); });
}

bool are_identifiers(std::string_view dotted, Syntax syntax) {
  while (true) {
    const std::size_t dot = dotted.find('.');
    if (!is_identifier(dotted.substr(0, dot), syntax)) {
      return false;
    }
    if (dot == std::string_view::npos) {
      return true;
    }
    dotted.remove_prefix(dot + 1);
  }
}

std::optional<std::string> python_program(FactKind kind, const std::string& name) {
  if (!are_identifiers(name, Syntax::python)) {
    return std::nullopt;
  }
  if (kind == FactKind::import) {
    return "import " + name + "\n";
  }
  const std::size_t dot = name.find('.');
  const std::string head = dot == std::string::npos ? "" : "import " + name.substr(0, dot) + "\n";
  return head + (kind == FactKind::call ? name + "()\n" : "print(" + name + ")\n");
}

std::optional<std::string> javascript_program(FactKind kind, const std::string& name) {
  if (kind == FactKind::import) {
    return "require(\"" + name + "\");\n";
  }
  // A module's name may have letters that no variable has: fs/promises.readFile.
  const std::size_t dot = std::min(name.find('.'), name.size());
  const bool is_plain = is_identifier(name.substr(0, dot), Syntax::javascript);
  if ((!is_plain && dot == name.size()) ||
      (dot < name.size() && !are_identifiers(std::string_view(name).substr(dot + 1), Syntax::javascript))) {
    return std::nullopt;
  }
  const std::string used = is_plain ? name : "require(\"" + name.substr(0, dot) + "\")" + name.substr(dot);
  return kind == FactKind::call ? used + "();\n" : "console.log(" + used + ");\n";
}

std::optional<std::string> shell_program(FactKind kind, const std::string& name) {
  switch (kind) {
    case FactKind::import:
      return "source " + name + "\n";
    case FactKind::call:
      return name + " x\n";
    default:
      return "echo x > " + name + "/host/80\n";
  }
}

std::optional<std::string> program_with(Syntax syntax, FactKind kind, const std::string& name) {
  switch (syntax) {
    case Syntax::python:
      return python_program(kind, name);
    case Syntax::javascript:
      return javascript_program(kind, name);
    case Syntax::shell:
      break;
  }
  return shell_program(kind, name);
}

}  // namespace

std::optional<NameExample> example_of(Syntax syntax, FactKind kind, std::string_view pattern) {
  const bool open_end = pattern.ends_with('*');
  std::string name(pattern.substr(0, pattern.size() - (open_end ? 1 : 0)));
  if (name.starts_with("*.")) {
    name = "something" + name.substr(1);
  }
  const auto match = program_with(syntax, kind, open_end ? name + "any" : name);
  if (!match) {
    return std::nullopt;
  }
  return NameExample{*match, open_end ? std::nullopt : program_with(syntax, kind, name + "_other")};
}

}  // namespace glovebox::policy
