// Python's tracebacks. The parts of a text that ends with one:
//
//   Traceback (most recent call last):                      a block's header
//     File "/usr/lib/python3.11/json/decoder.py", line 353, in raw_decode
//       obj, end = self.scan_once(s, idx)                   the frame's source
//                  ^^^^^^^^^^^^^^^^^^^^^^                   and its marker
//   json.decoder.JSONDecodeError: Expecting …              type and message, to the end of the block
//
// Chained exceptions are blocks with a sentence between them, exception groups are blocks behind "  | ". A syntax
// error in the program itself has a File line and no header. A crash has faulthandler's "Fatal Python error".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/languages/error_text.h"

namespace glovebox::engine::python {

using Lines = std::vector<std::string_view>;

inline constexpr std::string_view kGroupHeader = "  + Exception Group Traceback (most recent call last):";

struct Frame {
  std::string_view file;
  std::optional<std::uint32_t> line;
  bool is_location = false;  // of a syntax error: no function
  std::size_t begin = 0;     // its lines in the text
  std::size_t end = 0;
};

struct Block {
  std::size_t header = 0;
  std::size_t exception = 0;  // the line with type and message
  std::size_t end = 0;
  std::vector<Frame> frames;
  bool linked = false;  // continues the block before it
  bool beside = false;  // of a thread or a destructor: it did not end the program
};

// `  File "x", line 3, in f`, and faulthandler's form without the comma.
[[nodiscard]] std::optional<Frame> parse_file_line(std::string_view line);
// Frames from `index` on; afterwards index is at the first line that belongs to none.
[[nodiscard]] std::vector<Frame> parse_frames(const Lines& lines, std::size_t& index);
[[nodiscard]] std::vector<Block> find_blocks(const Lines& lines);
// "json.decoder.JSONDecodeError: message" in two; a line that is no such thing is all message.
[[nodiscard]] std::pair<std::string_view, std::string_view> split_exception(std::string_view line);
// Where the marker below a frame's source points to, in the program's own line.
[[nodiscard]] std::optional<std::uint32_t> column_of(const FailedProgram& failed, const Frame& frame);
// The block with those it is chained to, oldest first; library frames are counted instead of shown.
[[nodiscard]] std::string trimmed_chain(const FailedProgram& failed, const std::vector<Block>& blocks,
                                        std::size_t last);

}  // namespace glovebox::engine::python
