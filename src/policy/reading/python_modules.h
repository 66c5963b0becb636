// Modules that Python has itself (of any 3.x), and packages that a waiting cell may have loaded already: no file of a
// request can be sure to take their place.
#pragma once

#include <span>
#include <string_view>

namespace glovebox::policy {

// Sorted; the first part of the name.
[[nodiscard]] std::span<const std::string_view> python_module_names();

}  // namespace glovebox::policy
