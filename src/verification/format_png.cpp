// PNG: every chunk with its CRC, the header's rules, and image data that inflates to exactly the announced rows.
#include <fmt/format.h>

#include <array>

#include "base/utf8.h"
#include "verification/byte_reader.h"
#include "verification/file_format.h"
#include "verification/inflation.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;
using base::Status;

// An image beyond this is not decoded, and so not checked.
constexpr std::uint64_t kMaxRawBytes = std::uint64_t{512} << 20U;

struct Header {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  unsigned depth = 0;
  unsigned colour = 0;
  bool interlaced = false;
};

Result<Header> read_header(std::string_view data) {
  ByteReader reader(data);
  if (data.size() != 13) {
    return refuse("IHDR has the wrong size");
  }
  Header header;
  header.width = *reader.big_endian(4);
  header.height = *reader.big_endian(4);
  header.depth = *reader.big_endian(1);
  header.colour = *reader.big_endian(1);
  const unsigned compression = *reader.big_endian(1);
  const unsigned filter = *reader.big_endian(1);
  const unsigned interlace = *reader.big_endian(1);
  constexpr std::uint32_t kLargest = 0x7fffffffU;
  if (header.width == 0 || header.height == 0 || header.width > kLargest || header.height > kLargest) {
    return refuse(fmt::format("the image is {} × {} pixels", header.width, header.height));
  }
  // Allowed depths per kind of colour, as bits.
  constexpr std::array<unsigned, 7> kDepths = {
      1U | 2U | 4U | 8U | 16U, 0, 8U | 16U, 1U | 2U | 4U | 8U, 8U | 16U, 0, 8U | 16U};
  const bool one_bit = header.depth != 0 && (header.depth & (header.depth - 1)) == 0;
  if (header.colour >= kDepths.size() || !one_bit || (kDepths[header.colour] & header.depth) == 0 || compression != 0 ||
      filter != 0 || interlace > 1) {
    return refuse("IHDR describes no image");
  }
  header.interlaced = interlace == 1;
  return header;
}

// Rows of one size, one after another: the whole image, or one of the seven passes of an interlaced one.
struct Pass {
  std::uint64_t row_bytes = 0;
  std::uint64_t rows = 0;
};

std::vector<Pass> passes_of(const Header& header) {
  constexpr std::array<unsigned, 7> kChannels = {1, 0, 3, 1, 2, 0, 4};
  const std::uint64_t bits = std::uint64_t{header.depth} * kChannels[header.colour];
  const auto pass = [&](std::uint64_t columns, std::uint64_t rows) {
    return columns == 0 || rows == 0 ? Pass{} : Pass{1 + (columns * bits + 7) / 8, rows};
  };
  if (!header.interlaced) {
    return {pass(header.width, header.height)};
  }
  struct Grid {
    std::uint32_t x, y, step_x, step_y;
  };
  constexpr std::array<Grid, 7> kAdam7 = {Grid{0, 0, 8, 8}, Grid{4, 0, 8, 8}, Grid{0, 4, 4, 8}, Grid{2, 0, 4, 4},
                                          Grid{0, 2, 2, 4}, Grid{1, 0, 2, 2}, Grid{0, 1, 1, 2}};
  std::vector<Pass> passes;
  for (const Grid& grid : kAdam7) {
    const auto count = [](std::uint32_t size, std::uint32_t start, std::uint32_t step) {
      return size > start ? (std::uint64_t{size} - start + step - 1) / step : 0;
    };
    passes.push_back(pass(count(header.width, grid.x, grid.step_x), count(header.height, grid.y, grid.step_y)));
  }
  return passes;
}

Status check_pixels(const Header& header, const std::vector<std::string_view>& data, WorkBudget& budget) {
  std::vector<Pass> passes = passes_of(header);
  std::uint64_t expected = 0;
  for (const Pass& pass : passes) {
    if (pass.row_bytes != 0 && pass.rows > (kMaxRawBytes - expected) / pass.row_bytes) {
      return refuse(fmt::format("{} × {} pixels are too many to be checked", header.width, header.height));
    }
    expected += pass.row_bytes * pass.rows;
  }
  // Every row begins with the number of its filter.
  std::size_t current = 0;
  std::uint64_t row_left = 0;
  const auto take = [&](std::string_view bytes) -> Status {
    while (!bytes.empty()) {
      if (row_left == 0) {
        while (current < passes.size() && passes[current].rows == 0) {
          ++current;
        }
        if (current == passes.size() || static_cast<unsigned char>(bytes.front()) > 4) {
          return refuse("the image data is no rows of pixels");
        }
        --passes[current].rows;
        row_left = passes[current].row_bytes;
      }
      const std::uint64_t step = std::min<std::uint64_t>(row_left, bytes.size());
      row_left -= step;
      bytes.remove_prefix(static_cast<std::size_t>(step));
    }
    return {};
  };
  const std::uint64_t got = TRY(inflate(data, InflationForm::zlib, expected, take, budget));
  return got == expected ? Status() : refuse(fmt::format("{} bytes of pixels, {} expected", got, expected));
}

}  // namespace

Result<FileFacts> read_png(std::string_view bytes, WorkBudget& budget) {
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
  if (!bytes.starts_with(kSignature)) {
    return refuse("it does not begin like a PNG");
  }
  ByteReader reader(bytes.substr(kSignature.size()));
  std::optional<Header> header;
  std::vector<std::string_view> data;
  bool palette = false;
  bool data_ended = false;
  while (true) {
    const auto size = reader.big_endian(4);
    const auto body = size ? reader.take(std::size_t{4} + *size) : std::nullopt;
    const auto crc = body ? reader.big_endian(4) : std::nullopt;
    if (!crc || !budget.spend(1 + body->size() / 64)) {
      return refuse("it ends in the middle of a chunk");
    }
    const std::string_view kind = body->substr(0, 4);
    const std::string_view content = body->substr(4);
    if (crc32_of(*body) != *crc) {
      return refuse(fmt::format("the chunk {} has a wrong CRC", base::printable(kind, 16)));
    }
    if (!header) {
      if (kind != "IHDR") {
        return refuse("the first chunk is not IHDR");
      }
      header = TRY(read_header(content));
      continue;
    }
    data_ended = data_ended || (!data.empty() && kind != "IDAT");
    if (kind == "IDAT") {
      if (data_ended) {
        return refuse("the image data is interrupted");
      }
      if (!budget.hold(2 * sizeof(content))) {
        return refuse(kOutOfMemory);
      }
      data.push_back(content);
    } else if (kind == "PLTE") {
      palette = content.size() % 3 == 0 && !content.empty() && content.size() <= 768 && data.empty() && !palette;
      if (!palette) {
        return refuse("PLTE is out of place");
      }
    } else if (kind == "IEND") {
      break;
    } else if ((static_cast<unsigned char>(kind.front()) & 0x20U) == 0) {
      return refuse(fmt::format("the chunk {} is unknown, and necessary", base::printable(kind, 16)));
    }
  }
  if (reader.left() != 0) {
    return refuse("there are bytes behind the end of the image");
  }
  if (data.empty() || (header->colour == 3 && !palette)) {
    return refuse(data.empty() ? "there is no image data" : "there is no palette");
  }
  TRY_STATUS(check_pixels(*header, data, budget));
  FileFacts facts;
  facts.width = header->width;
  facts.height = header->height;
  return facts;
}

}  // namespace glovebox::verification
