#include "records/content_codec.h"

#include <zstd.h>

namespace glovebox::records {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;

constexpr int kLevel = 3;

}  // namespace

std::string compress(std::string_view bytes) {
  std::string compressed(::ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ::ZSTD_compress(compressed.data(), compressed.size(), bytes.data(), bytes.size(), kLevel);
  // With room for the bound, only memory can be lacking.
  if (::ZSTD_isError(size) != 0) {
    throw std::bad_alloc();
  }
  compressed.resize(size);
  return compressed;
}

Result<std::string> decompress(std::string_view compressed, std::uint64_t bytes) {
  if (bytes > kMaxContentBytes || ::ZSTD_getFrameContentSize(compressed.data(), compressed.size()) != bytes) {
    return fail(ErrorCode::internal_error, "the stored bytes do not have the size that was recorded");
  }
  std::string plain(bytes, '\0');
  const std::size_t size = ::ZSTD_decompress(plain.data(), plain.size(), compressed.data(), compressed.size());
  if (::ZSTD_isError(size) != 0 || size != bytes) {
    return fail(ErrorCode::internal_error, "the stored bytes cannot be decompressed");
  }
  return plain;
}

}  // namespace glovebox::records
