#include "server/http/body_reader.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "server/http/grammar.h"
#include "server/http/message.h"

namespace glovebox::http {
namespace {

constexpr std::size_t kMaxSizeDigits = 15;        // cannot overflow
constexpr std::size_t kMaxLineBytes = 4U << 10U;  // a chunk's line with its extensions, or a line of the trailer
constexpr std::size_t kMaxOverheadBytes = 16U
                                          << 10U;  // all of them: one byte of body per line of extensions is an attack

tl::unexpected<Refusal> malformed_body(std::string detail) {
  return tl::unexpected<Refusal>(Refusal{400, "invalid_request", std::move(detail)});
}

// A line without its CR LF, or nothing if it is not complete.
tl::expected<std::optional<std::string_view>, Refusal> line_of(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, kMaxLineBytes).find('\n');
  if (end == std::string_view::npos) {
    if (bytes.size() >= kMaxLineBytes) {
      return malformed_body("a line of the chunked body is too long");
    }
    return std::nullopt;
  }
  if (end == 0 || bytes[end - 1] != '\r' || !is_field_value(bytes.substr(0, end - 1))) {
    return malformed_body("a line of the chunked body does not end in CR LF, or holds a control character");
  }
  return bytes.substr(0, end - 1);
}

}  // namespace

BodyReader BodyReader::sized(std::uint64_t length) {
  BodyReader reader;
  reader.left_ = length;
  reader.state_ = length > 0 ? State::data : State::complete;
  return reader;
}

BodyReader BodyReader::chunked() {
  BodyReader reader;
  reader.state_ = State::chunk_line;
  reader.overhead_left_ = kMaxOverheadBytes;
  return reader;
}

BodyReader BodyReader::to_eof() {
  BodyReader reader;
  reader.state_ = State::data_to_eof;
  reader.left_ = UINT64_MAX;
  return reader;
}

tl::expected<std::size_t, Refusal> BodyReader::read(std::string_view buffered, const TakeBody& take) {
  std::size_t used = 0;
  while (state_ != State::complete && used < buffered.size()) {
    const std::string_view rest = buffered.substr(used);
    Step step = state_ == State::chunk_line    ? read_chunk_line(rest)
                : state_ == State::chunk_end   ? read_chunk_end(rest)
                : state_ == State::trailer     ? read_trailer(rest)
                : state_ == State::chunk_data  ? take_data(rest, take, State::chunk_end)
                : state_ == State::data_to_eof ? take_data(rest, take, State::data_to_eof)
                                               : take_data(rest, take, State::complete);
    if (!step.has_value()) {
      return step;
    }
    if (*step == 0) {
      break;
    }
    used += *step;
  }
  return used;
}

bool BodyReader::finish_at_eof() {
  if (state_ == State::data_to_eof) {
    state_ = State::complete;
  }
  return complete();
}

BodyReader::Step BodyReader::take_data(std::string_view bytes, const TakeBody& take, State next) {
  const std::string_view piece =
      bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_)));
  if (auto refusal = take(piece); refusal.has_value()) {
    return tl::unexpected<Refusal>(std::move(*refusal));
  }
  if (state_ != State::data_to_eof) {
    left_ -= piece.size();
  }
  if (left_ == 0) {
    state_ = next;
  }
  return piece.size();
}

BodyReader::Step BodyReader::read_chunk_line(std::string_view bytes) {
  const auto line = line_of(bytes);
  if (!line.has_value()) {
    return tl::unexpected<Refusal>(line.error());
  }
  if (!line->has_value()) {
    return 0;
  }
  const std::string_view text = **line;
  const std::string_view digits = text.substr(0, text.find(';'));
  const bool all_hex = std::all_of(digits.begin(), digits.end(), [](char byte) { return hex_value(byte) >= 0; });
  if (digits.empty() || digits.size() > kMaxSizeDigits || !all_hex) {
    return malformed_body("a chunk's size is not a hexadecimal number");
  }
  const std::size_t extension_bytes = text.size() - digits.size();
  if (extension_bytes > overhead_left_) {
    return malformed_body("the chunked body has too many extensions");
  }
  overhead_left_ -= extension_bytes;
  std::from_chars(digits.data(), digits.data() + digits.size(), left_, 16);
  state_ = left_ > 0 ? State::chunk_data : State::trailer;
  return text.size() + 2;
}

BodyReader::Step BodyReader::read_chunk_end(std::string_view bytes) {
  if (bytes.front() != '\r' || (bytes.size() > 1 && bytes[1] != '\n')) {
    return malformed_body("a chunk is longer than its size");
  }
  if (bytes.size() == 1) {
    return 0;
  }
  state_ = State::chunk_line;
  return 2;
}

BodyReader::Step BodyReader::read_trailer(std::string_view bytes) {
  const auto line = line_of(bytes);
  if (!line.has_value()) {
    return tl::unexpected<Refusal>(line.error());
  }
  if (!line->has_value()) {
    return 0;
  }
  const std::string_view text = **line;
  if (text.empty()) {
    state_ = State::complete;
    return 2;
  }
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (colon == std::string_view::npos || !is_token(name) || equal_ignoring_case(name, "Content-Length") ||
      equal_ignoring_case(name, "Transfer-Encoding") || text.size() > overhead_left_) {
    return malformed_body("the trailer is malformed_body, or too long");
  }
  overhead_left_ -= text.size();
  return text.size() + 2;
}

}  // namespace glovebox::http
