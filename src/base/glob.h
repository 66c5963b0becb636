// Patterns for artifact paths: `*` and `?` stay within one part, `**` crosses parts, [a-z] and [!a-z] are classes.
#pragma once

#include <string_view>

namespace glovebox::base {

// Matches the whole path. Linear in time but for `**` (bounded by the pattern's and the path's parts); never recurses.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view path);

}  // namespace glovebox::base
