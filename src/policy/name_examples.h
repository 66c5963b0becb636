// Programs that use a name of a rule, made from the name: what checks the lists of a profile, whose entries come
// without examples of their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/program_facts.h"

namespace glovebox::policy {

struct NameExample {
  std::string match;                    // import subprocess
  std::optional<std::string> no_match;  // import subprocess_other; nothing: the name ends with a star
};

// Nothing: no program in this language can use the name ("apt-get" in Python).
[[nodiscard]] std::optional<NameExample> example_of(Syntax syntax, FactKind kind, std::string_view pattern);

}  // namespace glovebox::policy
