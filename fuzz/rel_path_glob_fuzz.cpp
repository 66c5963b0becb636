// Paths and patterns from outside. The first zero byte parts the pattern from the path.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/glob.h"
#include "base/rel_path.h"
#include "base/utf8.h"

namespace {

using glovebox::base::glob_match;
using glovebox::base::RelPath;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void check_path(std::string_view text) {
  const auto path = RelPath::parse(text);
  if (!path) {
    require(glovebox::base::is_valid_utf8(path.error().message));
    return;
  }
  require(path->str() == text && glovebox::base::is_valid_utf8(text) && text.find('\0') == std::string_view::npos);
  std::string joined;
  for (const std::string_view part : path->parts()) {
    require(!part.empty() && part != "." && part != ".." && part.size() <= 255);
    joined += (joined.empty() ? "" : "/") + std::string(part);
  }
  require(joined == text);
  const std::string parent(path->parent());
  require((parent.empty() ? "" : parent + "/") + std::string(path->file_name()) == text);
}

void check_glob(std::string_view pattern, std::string_view path) {
  const bool matches = glob_match(pattern, path);
  require(glob_match("**", path));
  require(glob_match("*", path) == (path.find('/') == std::string_view::npos));
  require(!matches || glob_match("**/" + std::string(pattern), path));
  require(matches == glob_match("fixed/" + std::string(pattern), "fixed/" + std::string(path)));
  if (pattern.find_first_of("*?[") == std::string_view::npos) {
    require(matches == (pattern == path));
  }
  std::string any_letter(path);
  for (char& letter : any_letter) {
    letter = letter == '/' ? '/' : '?';
  }
  require(glob_match(any_letter, path));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = text.find('\0');
  const std::string_view pattern = text.substr(0, zero);
  const std::string_view path = zero == std::string_view::npos ? std::string_view() : text.substr(zero + 1);
  check_path(text);
  check_path(path);
  check_glob(pattern, path);
  return 0;
}
