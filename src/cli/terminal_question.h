// A yes or no from whoever sits at the terminal, also when the standard streams are pipes.
#pragma once

#include <string>

namespace glovebox::cli {

// Whether somebody sits there: a controlling terminal, which our own words go to as well.
[[nodiscard]] bool can_ask();

// Writes the text and reads one line. Only "y" and "yes" are a yes; the end of input is a no.
[[nodiscard]] bool ask(const std::string& text);

}  // namespace glovebox::cli
