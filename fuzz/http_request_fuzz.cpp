// Requests as a connection reads them. However the bytes are cut, the verdict is the same; what is let through keeps
// the promises of Request; and what is refused has a status and a reason.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "server/http/host_rules.h"
#include "server/http/message_parser.h"

namespace {

using namespace glovebox;        // NOLINT
using namespace glovebox::http;  // NOLINT

constexpr std::size_t kMaxBody = 1U << 16U;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

struct Verdict {
  int status = 0;  // 0: needs more
  std::string target;
  std::string body;
  std::size_t used = 0;

  bool operator==(const Verdict&) const = default;
};

bool has_control(std::string_view text) {
  for (const char byte : text) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) {
      return true;
    }
  }
  return false;
}

void check_promises(const Request& request, const RequestParser& parser) {
  for (const std::string& segment : request.path) {
    require(!segment.empty() && segment != "." && segment != ".." && base::is_valid_utf8(segment) &&
            !has_control(segment));
  }
  for (const auto& [name, value] : request.query) {
    require(base::is_valid_utf8(name) && base::is_valid_utf8(value) && !has_control(name) && !has_control(value));
  }
  for (const auto& [name, value] : request.headers.fields()) {
    require(!name.empty() && name.find_first_of(" \t:\r\n") == std::string::npos);
    require(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
  }
  require(request.headers.all("Content-Length").size() <= 1 && request.headers.all("Transfer-Encoding").size() <= 1);
  require(!(request.headers.contains("Content-Length") && request.headers.contains("Transfer-Encoding")));
  require(request.headers.size() <= 100 && request.target.size() <= (8U << 10U));
  static_cast<void>(host_allowed(parser.authority(), request.peer, {}));
}

Verdict read(std::string_view message, std::size_t piece) {
  Verdict verdict;
  RequestParser parser({});
  Request request;
  std::string buffered;
  bool head_done = false;
  const TakeBody take = [&](std::string_view bytes) -> std::optional<Refusal> {
    if (verdict.body.size() + bytes.size() > kMaxBody) {
      return Refusal{413, "input_too_large", "too large"};
    }
    verdict.body.append(bytes);
    return std::nullopt;
  };
  while (true) {
    const auto used = head_done ? parser.body().read(buffered, take) : parser.read_head(buffered, request);
    if (!used.has_value()) {
      require(used.error().status >= 400 && !used.error().detail.empty() && !used.error().code.empty());
      verdict.status = used.error().status;
      // How much came before the refusal depends on the pieces.
      verdict.body.clear();
      verdict.used = 0;
      return verdict;
    }
    require(*used <= buffered.size());
    buffered.erase(0, *used);
    verdict.used += *used;
    if (!head_done && *used > 0) {
      head_done = true;
      verdict.target = request.target;
      check_promises(request, parser);
      continue;
    }
    if (head_done && parser.body().complete()) {
      require(parser.framing().chunked || verdict.body.size() == parser.framing().content_length);
      verdict.status = 200;
      return verdict;
    }
    if (message.empty()) {
      verdict.used = 0;
      return verdict;
    }
    buffered += message.substr(0, piece);
    message.remove_prefix(std::min(piece, message.size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > (24U << 10U)) {
    return 0;
  }
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  const Verdict whole = read(message, std::max<std::size_t>(size, 1));
  // Where several limits are broken at once, the first to be noticed depends on the pieces; that it is refused does
  // not.
  const Verdict parts = read(message, 1 + size % 13);
  if (whole.status >= 400 || parts.status >= 400) {
    require(whole.status >= 400 && parts.status >= 400);
  } else {
    require(whole == parts);
  }
  return 0;
}
