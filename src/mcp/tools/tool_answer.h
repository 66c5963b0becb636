// What a tool says: blocks of content, the same as structure, and whether it went wrong.
//
// Sizes are bounded for the sake of whoever reads it: long output is shown as its beginning and its end, with a link to
// the whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "mcp/call.h"

namespace glovebox::mcp {

class ToolAnswer {
 public:
  void text(std::string_view text);
  void image(std::string_view bytes, std::string_view media_type);
  void link(std::string_view uri, std::string_view name, std::string_view media_type, std::uint64_t bytes);
  // The result as an object; mirrored as text, as the protocol recommends.
  void structure(std::string json);
  void set_error() { is_error_ = true; }

  void send(Call& call) const;

 private:
  struct Block {
    std::string json;
    Revision since = Revision::v2024_11_05;
  };
  std::vector<Block> blocks_;
  std::string structure_;
  bool is_error_ = false;
};

// An answer that says what went wrong and what to do.
void answer_error(Call& call, const base::Error& error);

// The beginning and the end of a text that is longer than `most` bytes, whole characters; true if it was shortened.
bool shorten(std::string& text, std::size_t most, std::string_view whole_uri);

// {"a":1} and "b":2 → {"a":1,"b":2}
[[nodiscard]] std::string with_members(std::string object, std::string_view members);

}  // namespace glovebox::mcp
