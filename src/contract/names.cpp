// Enumerators are spelled like their JSON; these tables are the one place that says so.
#include <algorithm>
#include <array>

#include "contract/run_request.h"
#include "contract/run_result.h"

namespace glovebox::contract {
namespace {

constexpr std::array<std::string_view, kOutcomeCount> kOutcomes = {
    "ok",           "program_failed", "timeout",  "cpu_limit",      "memory_limit", "disk_limit",   "process_limit",
    "output_limit", "denied",         "rejected", "invalid_output", "cancelled",    "setup_failed", "internal_error",
};
constexpr std::array<std::string_view, 5> kIsolations = {"process", "container", "vm", "wasm", "none"};
constexpr std::array<std::string_view, 3> kCacheModes = {"use", "refresh", "off"};

static_assert(static_cast<std::size_t>(Isolation::none) + 1 == kIsolations.size());
static_assert(static_cast<std::size_t>(CacheMode::off) + 1 == kCacheModes.size());

template <typename Enum, std::size_t N>
std::optional<Enum> parse_name(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    return std::nullopt;
  }
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view to_string(Outcome outcome) { return kOutcomes.at(static_cast<std::size_t>(outcome)); }
std::string_view to_string(Isolation isolation) { return kIsolations.at(static_cast<std::size_t>(isolation)); }
std::string_view to_string(CacheMode mode) { return kCacheModes.at(static_cast<std::size_t>(mode)); }

std::optional<Outcome> parse_outcome(std::string_view name) { return parse_name<Outcome>(kOutcomes, name); }
std::optional<Isolation> parse_isolation(std::string_view name) { return parse_name<Isolation>(kIsolations, name); }
std::optional<CacheMode> parse_cache_mode(std::string_view name) { return parse_name<CacheMode>(kCacheModes, name); }

std::span<const std::string_view> isolation_names() { return kIsolations; }
std::span<const std::string_view> cache_mode_names() { return kCacheModes; }

}  // namespace glovebox::contract
