// The forms in which an operator's secret may turn up: as it is, and as programs encode it on the way out.
//
//   as it is · percent-encoded (both cases, space as %20 or +) · escaped in JSON (also with \/) · base64 and
//   base64url at each of the three offsets that it can have inside a longer text · hexadecimal, both cases
//
// At an offset other than 0 the outermost base64 characters also carry bits of what stands around the value. They are
// not part of the form, so that a few bits of the value's first and last byte stay when it is redacted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glovebox::redaction {

inline constexpr std::size_t kMinConfiguredBytes = 6;
inline constexpr std::size_t kMaxConfiguredBytes = 8U << 10U;

// Without doubles; the value itself is the first.
[[nodiscard]] std::vector<std::string> forms_of(std::string_view value);

}  // namespace glovebox::redaction
