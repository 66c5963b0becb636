#include "runner/admission.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/units.h"
#include "contract/request_rules.h"

namespace glovebox::runner {
namespace {

using base::ErrorCode;
using base::fail;
using base::make_error;
using base::Status;
using contract::RunRequest;

Status refuse_unsupported(std::string field, std::string message, std::string hint) {
  return fail(
      make_error(ErrorCode::unsupported, std::move(message)).with_field(std::move(field)).with_hint(std::move(hint)));
}

Status check_supported(const RunRequest& request, Records records) {
  if (request.isolation != contract::Isolation::container) {
    return refuse_unsupported(
        "isolation", "isolation \"" + std::string(contract::to_string(request.isolation)) + "\" is not available here",
        "use \"container\"; nothing falls back to another level by itself");
  }
  if (!request.network.allow.empty()) {
    return refuse_unsupported("network.allow",
                              "this installation has no network broker, so no cell can reach a network",
                              "leave network.allow empty and pass the data as files");
  }
  if (request.idempotency_key && records == Records::none) {
    return refuse_unsupported("idempotency_key", "there is no run store here that could recognise a repeated key",
                              "leave idempotency_key out");
  }
  return {};
}

// A last line without its newline is a row too.
class RowCount {
 public:
  void add(std::string_view bytes) {
    ends_ += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    unfinished_ = bytes.empty() ? unfinished_ : bytes.back() != '\n';
  }
  [[nodiscard]] std::uint64_t rows() const { return ends_ + (unfinished_ ? 1 : 0); }

 private:
  std::uint64_t ends_ = 0;
  bool unfinished_ = false;
};

Status too_many_rows(const RunRequest& request, std::size_t index, std::string how_many, const char* part) {
  return fail(make_error(ErrorCode::input_too_large, request.files[index].path.str() + " has " + std::move(how_many) +
                                                         ", more than " + std::to_string(request.limits.input_rows))
                  .with_field("files[" + std::to_string(index) + "]." + part)
                  .with_hint("pass a sample, or raise limits.input_rows"));
}

Status check_sizes(const RunRequest& request) {
  std::uint64_t total = request.code.size() + request.standard_input.size() + request.input_json.value_or("").size() +
                        request.expect_json.value_or("").size();
  for (std::size_t index = 0; index < request.files.size(); ++index) {
    const contract::InputFile& file = request.files[index];
    const auto* bytes = std::get_if<std::string>(&file.content);
    if (bytes == nullptr) {
      continue;
    }
    total += bytes->size();
    if (!is_tabular(file.path.str())) {
      continue;
    }
    RowCount count;
    count.add(*bytes);
    if (count.rows() > request.limits.input_rows) {
      return too_many_rows(request, index, std::to_string(count.rows()) + " rows", "content");
    }
  }
  if (total > request.limits.input_bytes) {
    return fail(
        make_error(ErrorCode::input_too_large, "code, stdin and files have " + base::format_size(total) +
                                                   ", more than " + base::format_size(request.limits.input_bytes))
            .with_field("files")
            .with_hint(
                "store large files with `glovebox blob add` and pass them by reference, or raise limits.input_bytes"));
  }
  return {};
}

}  // namespace

Status admit(const RunRequest& request, Records records) {
  TRY_STATUS(contract::check_run_request(request));
  TRY_STATUS(check_supported(request, records));
  return check_sizes(request);
}

bool is_tabular(std::string_view path) {
  return path.ends_with(".csv") || path.ends_with(".tsv") || path.ends_with(".jsonl");
}

Status admit_to_service(const contract::Limits& limits, const ServeSettings& serve) {
  const auto check = [](std::uint64_t wanted, std::uint64_t most, const char* field, const char* setting) -> Status {
    if (wanted <= most) {
      return {};
    }
    return refuse_unsupported(std::string("limits.") + field,
                              fmt::format("this service keeps at most {} bytes, found {}", most, wanted),
                              fmt::format("ask for less, or have the operator raise serve.{}", setting));
  };
  TRY_STATUS(check(limits.output_bytes, serve.output_bytes, "output_bytes", "output_mib"));
  return check(limits.artifact_bytes, serve.artifact_bytes, "artifact_bytes", "artifacts_mib");
}

Status admit_blob(const RunRequest& request, std::size_t index, int fd) {
  if (!is_tabular(request.files[index].path.str())) {
    return {};
  }
  RowCount count;
  std::array<char, 1U << 16U> piece;
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(fd, piece.data(), piece.size(), at);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return fail(base::errno_error(ErrorCode::internal_error, "admission", "cannot count the rows of a blob"));
    }
    if (got == 0) {
      return {};
    }
    at += got;
    count.add({piece.data(), static_cast<std::size_t>(got)});
    if (count.rows() > request.limits.input_rows) {
      return too_many_rows(request, index, "too many rows", "blob");
    }
  }
}

}  // namespace glovebox::runner
