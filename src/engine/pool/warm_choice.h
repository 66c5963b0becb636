// Which kind of warm cell could serve a request, decided from the request alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_request.h"
#include "engine/languages/language_profile.h"

namespace glovebox::engine {

// nullopt: only a cold cell fits. Otherwise the index of the set for a zygote, or 0.
[[nodiscard]] std::optional<std::size_t> choose_warm_set(const contract::RunRequest& request,
                                                         const LanguageProfile& language);

// The top-level names of modules that a Python program may import: every `import a.b, c` and `from a.b import c`,
// also in functions and after a semicolon. A name too many costs nothing but speed, and so does one too few.
[[nodiscard]] std::vector<std::string> imported_names(std::string_view python_code);

}  // namespace glovebox::engine
