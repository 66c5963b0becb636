// A response's first line and fields as bytes.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "server/http/message.h"

namespace glovebox::http {

enum class ResponseBody {
  sized,    // Content-Length
  chunked,  // Transfer-Encoding
  to_eof,   // until the connection closes
  none,     // 204, 304: neither
};

struct HeadForm {
  ResponseBody body = ResponseBody::sized;
  std::uint64_t length = 0;  // of a sized body, also when it is left out (HEAD)
  bool keep_alive = true;
  int minor_version = 1;  // of the request
};

// Whether the fields can be sent as they are: names are tokens, values hold no CR, LF or other control character, and
// the status is one that ends an exchange.
[[nodiscard]] bool is_sendable(int status, const Headers& headers);

// Fields that belong to the server are left out. Precondition: is_sendable.
[[nodiscard]] std::string format_head(int status, const Headers& headers, const HeadForm& form, std::string_view date);

// "Sun, 06 Nov 1994 08:49:37 GMT"
[[nodiscard]] std::string format_date(std::time_t time);
// Now, for a Date field; each thread formats it once a second. Valid until the thread asks again.
[[nodiscard]] std::string_view current_date();

// One chunk of a chunked body. Precondition: not empty, since an empty chunk is the end.
[[nodiscard]] std::string format_chunk(std::string_view bytes);

}  // namespace glovebox::http
