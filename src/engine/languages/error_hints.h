// One line of advice for the model that has to mend the program (X2): specific where the message allows it.
#pragma once

#include <string>
#include <string_view>

#include "engine/languages/error_text.h"

namespace glovebox::engine {

// What the wall or the limits have to do with a message of any language; empty when nothing.
[[nodiscard]] std::string hint_for_system_error(const FailedProgram& failed, std::string_view message);

// `type` without its module: JSONDecodeError.
[[nodiscard]] std::string hint_for_python(const FailedProgram& failed, std::string_view type, std::string_view message);
[[nodiscard]] std::string hint_for_node(const FailedProgram& failed, std::string_view type, std::string_view message);
// For a line that does not parse; empty when there is nothing special about it.
[[nodiscard]] std::string hint_for_node_syntax(std::string_view line);
// Complaints of the shims in guest/.
[[nodiscard]] std::string hint_for_solve(std::string_view message);
// What was sent is not just a program: a Markdown fence around it, or prose where it does not parse.
[[nodiscard]] std::string hint_for_wrapping(std::string_view code, const contract::RunError& error);
[[nodiscard]] std::string hint_for_signal(int signal);
[[nodiscard]] std::string hint_for_exit_code(const FailedProgram& failed, int exit_code);

}  // namespace glovebox::engine
