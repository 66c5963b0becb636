#include "engine/supervise/media_type.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace glovebox::engine {
namespace {

struct Extension {
  std::string_view name;
  std::string_view type;
};

constexpr std::array kExtensions = {
    Extension{"bin", "application/octet-stream"},
    Extension{"bmp", "image/bmp"},
    Extension{"css", "text/css"},
    Extension{"csv", "text/csv"},
    Extension{"feather", "application/vnd.apache.arrow.file"},
    Extension{"gif", "image/gif"},
    Extension{"gz", "application/gzip"},
    Extension{"htm", "text/html"},
    Extension{"html", "text/html"},
    Extension{"jpeg", "image/jpeg"},
    Extension{"jpg", "image/jpeg"},
    Extension{"js", "text/javascript"},
    Extension{"json", "application/json"},
    Extension{"jsonl", "application/jsonl"},
    Extension{"log", "text/plain"},
    Extension{"md", "text/markdown"},
    Extension{"npy", "application/octet-stream"},
    Extension{"parquet", "application/vnd.apache.parquet"},
    Extension{"pdf", "application/pdf"},
    Extension{"pickle", "application/octet-stream"},
    Extension{"pkl", "application/octet-stream"},
    Extension{"png", "image/png"},
    Extension{"py", "text/x-python"},
    Extension{"sh", "text/x-shellscript"},
    Extension{"sqlite", "application/vnd.sqlite3"},
    Extension{"svg", "image/svg+xml"},
    Extension{"tar", "application/x-tar"},
    Extension{"tsv", "text/tab-separated-values"},
    Extension{"txt", "text/plain"},
    Extension{"wasm", "application/wasm"},
    Extension{"webp", "image/webp"},
    Extension{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    Extension{"xml", "application/xml"},
    Extension{"yaml", "application/yaml"},
    Extension{"yml", "application/yaml"},
    Extension{"zip", "application/zip"},
};

constexpr std::array kMagic = {
    Extension{"\x89PNG\r\n\x1a\n", "image/png"},
    Extension{"\xff\xd8\xff", "image/jpeg"},
    Extension{"GIF8", "image/gif"},
    Extension{"%PDF-", "application/pdf"},
    Extension{"PK\x03\x04", "application/zip"},
    Extension{"\x1f\x8b", "application/gzip"},
};

}  // namespace

std::string media_type_of(std::string_view path, std::string_view content) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) {
    std::string extension(name.substr(dot + 1));
    std::transform(extension.begin(), extension.end(), extension.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    });
    for (const Extension& known : kExtensions) {
      if (known.name == extension) {
        return std::string(known.type);
      }
    }
  }
  for (const Extension& magic : kMagic) {
    if (content.starts_with(magic.name)) {
      return std::string(magic.type);
    }
  }
  constexpr std::size_t kSniffBytes = 4096;
  const std::string_view sample = content.substr(0, kSniffBytes);
  const bool text =
      content.size() <= kSniffBytes && base::is_valid_utf8(sample) && sample.find('\0') == std::string_view::npos;
  return text ? "text/plain" : "application/octet-stream";
}

}  // namespace glovebox::engine
