// What a RunRequest must obey beyond its shape, wherever it was built: from JSON, from flags, from a test.
//
// Pure functions over the value; the first broken rule is returned as an Error(invalid_request) with the field's
// JSON path. Rules that depend on the host (is this language installed, is this isolation possible) are not here.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "contract/run_request.h"

namespace glovebox::contract {

inline constexpr std::size_t kMaxArgs = 1024;
inline constexpr std::size_t kMaxArgsBytes = std::size_t{128} << 10U;
inline constexpr std::size_t kMaxEnv = 256;
inline constexpr std::size_t kMaxEnvBytes = std::size_t{128} << 10U;
inline constexpr std::size_t kMaxFiles = 4096;
inline constexpr std::size_t kMaxArtifactPatterns = 64;
inline constexpr std::size_t kMaxNetworkEntries = 64;
inline constexpr std::size_t kMaxIdempotencyKeyBytes = 128;

// Every rule, including that input_json and expect_json hold JSON of the right shape.
[[nodiscard]] base::Status check_run_request(const RunRequest& request);

// The same without looking into the two JSON texts, for a reader that has just produced them.
[[nodiscard]] base::Status check_request_rules(const RunRequest& request);

// A lower-case letter, then lower-case letters, digits and _+-, at most 32 of all.
[[nodiscard]] bool is_language_name(std::string_view text);

// The shape of "expect"; whether its parts make sense is checked by src/verification.
[[nodiscard]] base::Status check_expect(std::string_view json);

// host:port with a DNS name, an IPv4 address or an IPv6 address in brackets.
[[nodiscard]] bool is_host_and_port(std::string_view text);

[[nodiscard]] bool is_language_name(std::string_view text);

[[nodiscard]] bool is_sha256_hex(std::string_view text);

}  // namespace glovebox::contract
