#include "mcp/tools/run_uri.h"

#include "base/rel_path.h"

namespace glovebox::mcp {
namespace {

constexpr std::string_view kPrefix = "glovebox://runs/";
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool is_plain(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '-' || letter == '.' || letter == '_' || letter == '~' || letter == '/';
}

std::string escaped(std::string_view path) {
  std::string text;
  for (const char letter : path) {
    if (is_plain(letter)) {
      text += letter;
      continue;
    }
    const auto byte = static_cast<unsigned char>(letter);
    text += '%';
    text += kHexDigits[byte >> 4U];
    text += kHexDigits[byte & 15U];
  }
  return text;
}

int hex_value(char digit) {
  const char upper = digit >= 'a' && digit <= 'f' ? static_cast<char>(digit - 'a' + 'A') : digit;
  const std::size_t at = kHexDigits.find(upper);
  return at == kHexDigits.npos ? -1 : static_cast<int>(at);
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string path;
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] != '%') {
      path += text[index];
      continue;
    }
    const int high = index + 2 < text.size() ? hex_value(text[index + 1]) : -1;
    const int low = index + 2 < text.size() ? hex_value(text[index + 2]) : -1;
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    path += static_cast<char>(high * 16 + low);
    index += 2;
  }
  return path;
}

}  // namespace

std::string to_string(const RunUri& uri) {
  const std::string begin = std::string(kPrefix) + uri.run_id;
  switch (uri.part) {
    case RunUri::Part::standard_output:
      return begin + "/stdout";
    case RunUri::Part::standard_error:
      return begin + "/stderr";
    case RunUri::Part::result:
      return begin + "/result";
    case RunUri::Part::artifact:
      return begin + "/artifacts/" + escaped(uri.path);
  }
  return begin;
}

std::optional<RunUri> parse_run_uri(std::string_view text) {
  constexpr std::string_view kArtifacts = "artifacts/";
  if (!text.starts_with(kPrefix)) {
    return std::nullopt;
  }
  text.remove_prefix(kPrefix.size());
  const std::size_t slash = text.find('/');
  if (slash == text.npos || slash == 0) {
    return std::nullopt;
  }
  RunUri uri;
  uri.run_id = text.substr(0, slash);
  text.remove_prefix(slash + 1);
  if (text == "stdout") {
    uri.part = RunUri::Part::standard_output;
  } else if (text == "stderr") {
    uri.part = RunUri::Part::standard_error;
  } else if (text == "result") {
    uri.part = RunUri::Part::result;
  } else if (text.starts_with(kArtifacts)) {
    const auto path = unescaped(text.substr(kArtifacts.size()));
    if (!path || !base::RelPath::parse(*path)) {
      return std::nullopt;
    }
    uri.part = RunUri::Part::artifact;
    uri.path = *path;
  } else {
    return std::nullopt;
  }
  return uri;
}

}  // namespace glovebox::mcp
