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
[[nodiscard]] std::string hint_for_signal(int signal);
[[nodiscard]] std::string hint_for_exit_code(const FailedProgram& failed, int exit_code);

}  // namespace glovebox::engine
