// Two texts, line by line, for people: common lines, lines that went (-) and lines that came (+).
#pragma once

#include <string>
#include <string_view>

namespace glovebox::runner {

// With three lines around each change. Bounded in size and time: of very long texts only the beginning is compared.
[[nodiscard]] std::string line_diff(std::string_view before, std::string_view after);

}  // namespace glovebox::runner
