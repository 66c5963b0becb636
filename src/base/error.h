// What went wrong, as a value.
//
// An Error has a stable code (the vocabulary of contract/errors.json), a sentence for people, the stage
// that failed, the errno if the kernel was involved, the request field if the caller was, and a hint that
// says what to do next. Libraries return Errors and never log or print them; programs print them once.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace glovebox::base {

// Spelled like their JSON. contract/errors.json maps each one to an exit code, an HTTP status and two hints.
enum class ErrorCode {
  invalid_request,
  unsupported,
  input_too_large,
  blob_missing,
  not_found,
  syntax_error,
  runtime_error,
  import_error,
  program_exit,
  program_signal,
  wall_timeout,
  cpu_limit,
  memory_limit,
  disk_limit,
  process_limit,
  output_limit,
  artifact_limit,
  denied,
  rejected,
  approval_needed,
  invalid_output,
  cancelled,
  quota_exceeded,
  budget_exceeded,
  circuit_open,
  overloaded,
  stopped,
  draining,
  idempotency_conflict,
  interrupted,
  host_unsupported,
  limits_unavailable,
  image_unavailable,
  setup_failed,
  internal_error,
};
inline constexpr int kErrorCodeCount = static_cast<int>(ErrorCode::internal_error) + 1;

[[nodiscard]] std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::internal_error;
  std::string message;
  std::string stage;  // the named step that failed, e.g. "mount_proc"
  std::string field;  // the request field at fault, as a path: files[2].path
  std::string hint;
  int sys_errno = 0;
  unsigned retry_after_s = 0;  // the same may work then; 0: waiting does not help, or nobody knows

  bool operator==(const Error&) const = default;

  [[nodiscard]] Error with_field(std::string value) && {
    field = std::move(value);
    return std::move(*this);
  }
  [[nodiscard]] Error with_retry_after(unsigned seconds) && {
    retry_after_s = seconds;
    return std::move(*this);
  }
  [[nodiscard]] Error with_hint(std::string value) && {
    hint = std::move(value);
    return std::move(*this);
  }
};

[[nodiscard]] Error make_error(ErrorCode code, std::string message);
// Captures errno; the message becomes "<what>: <strerror>".
[[nodiscard]] Error errno_error(ErrorCode code, std::string stage, std::string_view what);
// Names an errno the way manual pages do: "EPERM".
[[nodiscard]] std::string errno_name(int value);
// One or two lines for a person: what, where, what to do.
[[nodiscard]] std::string describe(const Error& error);
// The first line of that: without the hint.
[[nodiscard]] std::string cause_of(const Error& error);

}  // namespace glovebox::base
