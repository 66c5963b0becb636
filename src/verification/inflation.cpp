#include "verification/inflation.h"

#include <zlib.h>

#include <array>

#include "base/cleanup.h"
#include "verification/refusal.h"

namespace glovebox::verification {

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t so_far) {
  return static_cast<std::uint32_t>(
      ::crc32_z(so_far, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

base::Result<std::uint64_t> inflate(std::span<const std::string_view> parts, InflationForm form,
                                    std::uint64_t max_bytes, const std::function<base::Status(std::string_view)>& take,
                                    WorkBudget& budget, BehindTheEnd behind) {
  constexpr int kZlibWindow = 15;
  z_stream stream{};
  if (::inflateInit2(&stream, form == InflationForm::zlib ? kZlibWindow : -kZlibWindow) != Z_OK) {
    return refuse("no memory to decompress");
  }
  const base::Cleanup end([&stream] { ::inflateEnd(&stream); });
  std::array<char, 32768> buffer{};
  std::uint64_t total = 0;
  bool ended = false;
  for (std::string_view part : parts) {
    while (!part.empty()) {
      if (ended && behind == BehindTheEnd::ignored) {
        return total;
      }
      if (ended) {
        return refuse("there is data behind the end of the compressed stream");
      }
      // Empty blocks give nothing out, so what goes in is paid as well, and the clock is looked at in between.
      const std::size_t piece = std::min<std::size_t>(part.size(), 1U << 16U);
      if (!budget.spend(piece / 16)) {
        return refuse(kOutOfBudget);
      }
      stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(part.data()));
      stream.avail_in = static_cast<unsigned>(piece);
      do {
        stream.next_out = reinterpret_cast<unsigned char*>(buffer.data());
        stream.avail_out = static_cast<unsigned>(buffer.size());
        const int status = ::inflate(&stream, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
          return refuse("the compressed data is damaged");
        }
        const std::size_t got = buffer.size() - stream.avail_out;
        total += got;
        if (total > max_bytes) {
          return refuse("more data than announced comes out of the compressed stream");
        }
        if (!budget.spend(1 + got / 64)) {
          return refuse(kOutOfBudget);
        }
        TRY_STATUS(take(std::string_view(buffer.data(), got)));
        ended = status == Z_STREAM_END;
      } while (!ended && (stream.avail_in > 0 || stream.avail_out == 0));
      part.remove_prefix(piece - stream.avail_in);
    }
  }
  if (!ended) {
    return refuse("the compressed stream does not end");
  }
  return total;
}

}  // namespace glovebox::verification
