#include "base/error.h"

#include <array>
#include <cerrno>
#include <cstring>

namespace glovebox::base {
namespace {

constexpr std::array<std::string_view, kErrorCodeCount> kNames = {
    "invalid_request",
    "unsupported",
    "input_too_large",
    "blob_missing",
    "not_found",
    "syntax_error",
    "runtime_error",
    "import_error",
    "program_exit",
    "program_signal",
    "wall_timeout",
    "cpu_limit",
    "memory_limit",
    "disk_limit",
    "process_limit",
    "output_limit",
    "artifact_limit",
    "denied",
    "rejected",
    "approval_needed",
    "invalid_output",
    "cancelled",
    "quota_exceeded",
    "budget_exceeded",
    "circuit_open",
    "overloaded",
    "stopped",
    "draining",
    "idempotency_conflict",
    "interrupted",
    "host_unsupported",
    "limits_unavailable",
    "image_unavailable",
    "setup_failed",
    "internal_error",
};

}  // namespace

std::string_view to_string(ErrorCode code) { return kNames.at(static_cast<std::size_t>(code)); }

Error make_error(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

Error errno_error(ErrorCode code, std::string stage, std::string_view what) {
  const int saved = errno;
  Error error;
  error.code = code;
  error.stage = std::move(stage);
  error.sys_errno = saved;
  error.message = std::string(what) + ": " + std::strerror(saved);
  return error;
}

std::string errno_name(int value) {
  const char* name = strerrorname_np(value);
  return name != nullptr ? name : std::to_string(value);
}

std::string cause_of(const Error& error) {
  std::string text;
  if (!error.field.empty()) {
    text += error.field + ": ";
  }
  text += error.message;
  if (!error.stage.empty()) {
    text += " (at " + error.stage;
    if (error.sys_errno != 0) {
      text += ", " + errno_name(error.sys_errno);
    }
    text += ")";
  }
  return text;
}

std::string describe(const Error& error) { return cause_of(error) + (error.hint.empty() ? "" : "\n  → " + error.hint); }

}  // namespace glovebox::base
