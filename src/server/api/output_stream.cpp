#include "server/api/output_stream.h"

#include <utility>

#include "base/utf8.h"

namespace glovebox::server {

std::string OutputStream::add(std::string_view bytes) {
  pending_.append(bytes);
  const std::size_t ready = base::complete_prefix(pending_);
  std::string text = base::sanitize_output(std::string_view(pending_).substr(0, ready));
  pending_.erase(0, ready);
  return text;
}

std::string OutputStream::rest() { return base::sanitize_output(std::exchange(pending_, {})); }

}  // namespace glovebox::server
