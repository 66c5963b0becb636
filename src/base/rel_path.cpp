#include "base/rel_path.h"

#include "base/text.h"
#include "base/utf8.h"

namespace glovebox::base {
namespace {

constexpr std::size_t kMaxBytes = 4096;
constexpr std::size_t kMaxPartBytes = 255;
constexpr std::size_t kMaxParts = 64;

Error bad_path(std::string_view text, std::string_view why) {
  return make_error(ErrorCode::invalid_request, "the path \"" + printable(text, 80) + "\" " + std::string(why))
      .with_hint("use a relative path such as data/input.csv");
}

}  // namespace

Result<RelPath> RelPath::parse(std::string_view text) {
  if (text.empty()) {
    return fail(bad_path(text, "is empty"));
  }
  if (text.size() > kMaxBytes) {
    return fail(bad_path(text, "is longer than 4096 bytes"));
  }
  if (text.front() == '/') {
    return fail(bad_path(text, "is absolute"));
  }
  if (!is_valid_utf8(text)) {
    return fail(bad_path(text, "is not valid UTF-8"));
  }
  if (has_deceptive_characters(text)) {
    return fail(bad_path(text, "holds a control character"));
  }
  const auto parts = split(text, '/');
  if (parts.size() > kMaxParts) {
    return fail(bad_path(text, "is more than 64 levels deep"));
  }
  for (const std::string_view part : parts) {
    if (part.empty()) {
      return fail(bad_path(text, "has an empty part"));
    }
    if (part == "." || part == "..") {
      return fail(bad_path(text, "holds \".\" or \"..\""));
    }
    if (part.size() > kMaxPartBytes) {
      return fail(bad_path(text, "has a part longer than 255 bytes"));
    }
  }
  return RelPath(std::string(text));
}

std::vector<std::string_view> RelPath::parts() const { return split(text_, '/'); }

std::string_view RelPath::file_name() const {
  const std::string_view text = text_;
  const std::size_t slash = text.rfind('/');
  return slash == std::string_view::npos ? text : text.substr(slash + 1);
}

std::string_view RelPath::parent() const {
  const std::string_view text = text_;
  const std::size_t slash = text.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : text.substr(0, slash);
}

}  // namespace glovebox::base
