// A relative path that came from outside and was checked once.
//
// Holds no "..", no ".", no empty part, no leading slash, no NUL or other control character, nothing that turns text
// around, no invalid UTF-8; at most 4096 bytes, 255 per part and 64 parts deep. A RelPath still has to be opened
// beneath a directory descriptor: the type rules out tricks in the name, not links on the disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glovebox::base {

class RelPath {
 public:
  [[nodiscard]] static Result<RelPath> parse(std::string_view text);

  [[nodiscard]] const std::string& str() const { return text_; }
  [[nodiscard]] std::vector<std::string_view> parts() const;
  [[nodiscard]] std::string_view file_name() const;
  // Everything before the last part; empty for a path of one part.
  [[nodiscard]] std::string_view parent() const;

  bool operator==(const RelPath&) const = default;
  auto operator<=>(const RelPath&) const = default;

 private:
  explicit RelPath(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace glovebox::base
