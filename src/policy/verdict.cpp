#include "policy/verdict.h"

#include <array>

namespace glovebox::policy {
namespace {

constexpr std::array<std::string_view, 3> kVerdicts = {"allow", "ask", "deny"};
static_assert(static_cast<std::size_t>(Verdict::deny) + 1 == kVerdicts.size());

}  // namespace

std::string_view to_string(Verdict verdict) { return kVerdicts.at(static_cast<std::size_t>(verdict)); }

std::optional<Verdict> parse_verdict(std::string_view name) {
  const auto found = std::find(kVerdicts.begin(), kVerdicts.end(), name);
  return found == kVerdicts.end() ? std::nullopt : std::optional(static_cast<Verdict>(found - kVerdicts.begin()));
}

}  // namespace glovebox::policy
