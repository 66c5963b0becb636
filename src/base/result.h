// Result<T>: a value or an Error, never both, never ignored.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace glovebox::base {

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return fail(make_error(code, std::move(message)));
}

}  // namespace glovebox::base

// TRY(expr) is expr's value, or returns its Error from the enclosing function. Never inside a braced list: what the
// list already built is not destroyed on the way out (g++ and clang++ alike). tools/lint.sh refuses it.
#define TRY(expression)                                                                 \
  ({                                                                                    \
    auto try_result_ = (expression);                                                    \
    if (!try_result_.has_value()) {                                                     \
      return ::tl::unexpected<::glovebox::base::Error>(std::move(try_result_.error())); \
    }                                                                                   \
    std::move(try_result_.value());                                                     \
  })

#define TRY_STATUS(expression)                                                          \
  do {                                                                                  \
    auto try_status_ = (expression);                                                    \
    if (!try_status_.has_value()) {                                                     \
      return ::tl::unexpected<::glovebox::base::Error>(std::move(try_status_.error())); \
    }                                                                                   \
  } while (false)
