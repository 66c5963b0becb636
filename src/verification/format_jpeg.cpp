// JPEG: a walk over all segments from SOI to EOI. The compressed pixels themselves are not decoded.
#include <fmt/format.h>

#include "verification/byte_reader.h"
#include "verification/file_format.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;

bool is_frame(unsigned marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

Result<FileFacts> read_frame(std::string_view segment) {
  ByteReader reader(segment);
  const auto precision = reader.big_endian(1);
  const auto height = reader.big_endian(2);
  const auto width = reader.big_endian(2);
  const auto components = reader.big_endian(1);
  if (!components || *precision == 0 || *height == 0 || *width == 0 || *components == 0 ||
      reader.left() != std::size_t{*components} * 3) {
    return refuse("the frame header describes no image");
  }
  FileFacts facts;
  facts.width = *width;
  facts.height = *height;
  return facts;
}

// The position of the next real marker in compressed data: 0xFF followed by neither 0 nor a restart mark.
std::size_t end_of_scan(std::string_view bytes, std::size_t at) {
  while (true) {
    at = bytes.find('\xFF', at);
    if (at == bytes.npos || at + 1 >= bytes.size()) {
      return bytes.size();
    }
    const auto next = static_cast<unsigned char>(bytes[at + 1]);
    if (next != 0 && next != 0xFF && (next < 0xD0 || next > 0xD7)) {
      return at;
    }
    at += next == 0xFF ? 1 : 2;
  }
}

}  // namespace

Result<FileFacts> read_jpeg(std::string_view bytes, WorkBudget& budget) {
  if (!bytes.starts_with("\xFF\xD8\xFF")) {
    return refuse("it does not begin like a JPEG");
  }
  if (!budget.spend(1 + bytes.size() / 16)) {
    return refuse(kOutOfBudget);
  }
  std::optional<FileFacts> frame;
  bool scanned = false;
  std::size_t at = 2;
  while (true) {
    while (at + 1 < bytes.size() && bytes[at] == '\xFF' && bytes[at + 1] == '\xFF') {
      ++at;  // fill bytes
    }
    if (at + 1 >= bytes.size() || bytes[at] != '\xFF') {
      return refuse(at + 1 >= bytes.size() ? "it ends without its end mark" : "there is no marker where one has to be");
    }
    const unsigned marker = static_cast<unsigned char>(bytes[at + 1]);
    at += 2;
    if (marker == 0xD9) {
      break;
    }
    ByteReader reader(bytes.substr(at));
    const auto size = reader.big_endian(2);
    const auto segment = size && *size >= 2 ? reader.take(*size - 2) : std::nullopt;
    if (!segment || marker < 0xC0 || (marker >= 0xD0 && marker <= 0xD8)) {
      return refuse(fmt::format("the segment 0x{:02X} is damaged", marker));
    }
    at += *size;
    if (is_frame(marker)) {
      if (frame) {
        return refuse("it has two frames");
      }
      frame = TRY(read_frame(*segment));
    } else if (marker == 0xDA) {
      const std::size_t end = end_of_scan(bytes, at);
      if (!frame || end == at) {
        return refuse(frame ? "a scan without data" : "a scan before the frame header");
      }
      scanned = true;
      at = end;
    }
  }
  if (!scanned) {
    return refuse("there is no image data");
  }
  if (at != bytes.size()) {
    return refuse("there are bytes behind the end of the image");
  }
  return *frame;
}

}  // namespace glovebox::verification
