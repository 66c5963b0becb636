// Where a body ends, and its bytes without the framing: a known length, chunks, or everything until the connection
// closes.
//
// By hand and not Beast's: its chunk parser asserts things about partial input that a hostile client can make untrue,
// takes any amount of chunk extensions, and treats trailers as header fields.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <tl/expected.hpp>

#include "server/http/problem.h"

namespace glovebox::http {

// Takes a piece of a body; a Refusal ends the message.
using TakeBody = std::function<std::optional<Refusal>(std::string_view)>;

class BodyReader {
 public:
  // No body.
  BodyReader() = default;
  [[nodiscard]] static BodyReader sized(std::uint64_t length);
  [[nodiscard]] static BodyReader chunked();
  [[nodiscard]] static BodyReader to_eof();

  // Returns how many bytes were used; the rest, part of a line, has to be offered again with more behind it.
  [[nodiscard]] tl::expected<std::size_t, Refusal> read(std::string_view buffered, const TakeBody& take);
  // The connection was closed; false if that cut the body short.
  [[nodiscard]] bool finish_at_eof();
  [[nodiscard]] bool complete() const { return state_ == State::complete; }

 private:
  enum class State { data, data_to_eof, chunk_line, chunk_data, chunk_end, trailer, complete };
  using Step = tl::expected<std::size_t, Refusal>;  // 0: more is needed

  [[nodiscard]] Step take_data(std::string_view bytes, const TakeBody& take, State next);
  [[nodiscard]] Step read_chunk_line(std::string_view bytes);
  [[nodiscard]] Step read_chunk_end(std::string_view bytes);
  [[nodiscard]] Step read_trailer(std::string_view bytes);

  State state_ = State::complete;
  std::uint64_t left_ = 0;         // of the body, or of the chunk
  std::size_t overhead_left_ = 0;  // bytes of extensions and trailers that are still tolerated
};

}  // namespace glovebox::http
