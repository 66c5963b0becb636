// Milliseconds between two points of a clock, as metrics report them.
#pragma once

#include <chrono>

namespace glovebox::base {

template <typename Duration>
[[nodiscard]] constexpr double to_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

template <typename TimePoint>
[[nodiscard]] double ms_since(TimePoint start) {
  return to_ms(TimePoint::clock::now() - start);
}

}  // namespace glovebox::base
