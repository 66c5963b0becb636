// What a rule says about a program, and which of two such answers counts.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace glovebox::policy {

// In the order of strictness: the greater one wins.
enum class Verdict { allow, ask, deny };

[[nodiscard]] std::string_view to_string(Verdict verdict);
[[nodiscard]] std::optional<Verdict> parse_verdict(std::string_view name);

[[nodiscard]] constexpr Verdict strictest(Verdict left, Verdict right) { return std::max(left, right); }

}  // namespace glovebox::policy
