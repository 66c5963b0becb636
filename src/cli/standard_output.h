// Answers on standard output: whoever reads them gets them whole, or hears that something is missing.
#pragma once

#include <string_view>

namespace glovebox::cli {

// The exit status: nobody may take half an answer for one.
[[nodiscard]] int print(std::string_view text);

// Says why standard output could not be written; nothing when its reader went away. The exit status.
int tell_output_failure(int error_number);

// Writes what printf kept back. The exit status of a verb that ended with this one.
[[nodiscard]] int flush_output(int status);

}  // namespace glovebox::cli
