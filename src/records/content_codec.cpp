#include "records/content_codec.h"

#include <zstd.h>

namespace glovebox::records {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

constexpr int kLevel = 3;
constexpr int kMaxWindowLog = 23;  // our level needs 21; a forged file must not ask for more memory

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

PlainHash::PlainHash(bool compressed, std::uint64_t bytes) : bytes_(bytes) {
  if (!compressed) {
    return;
  }
  stream_ = ::ZSTD_createDCtx();
  if (stream_ == nullptr) {
    throw std::bad_alloc();
  }
  ::ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kMaxWindowLog);
  buffer_.resize(::ZSTD_DStreamOutSize());
  complete_ = false;
}

PlainHash::~PlainHash() { ::ZSTD_freeDCtx(stream_); }

Status PlainHash::add(std::string_view plain) {
  if (plain.size() > bytes_ - seen_) {
    return fail(ErrorCode::internal_error, "the stored bytes do not have the size that was recorded");
  }
  seen_ += plain.size();
  hash_.update(plain);
  return {};
}

Status PlainHash::feed(std::string_view stored) {
  if (stream_ == nullptr) {
    return add(stored);
  }
  ZSTD_inBuffer in{stored.data(), stored.size(), 0};
  bool is_full = false;  // what did not fit is still inside
  while (in.pos < in.size || is_full) {
    if (complete_) {
      return fail(ErrorCode::internal_error, "there is more behind the stored bytes");
    }
    ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
    const std::size_t left = ::ZSTD_decompressStream(stream_, &out, &in);
    if (::ZSTD_isError(left) != 0) {
      return fail(ErrorCode::internal_error, "the stored bytes cannot be decompressed");
    }
    TRY_STATUS(add({buffer_.data(), out.pos}));
    complete_ = left == 0;
    is_full = !complete_ && out.pos == out.size;
  }
  return {};
}

Result<std::string> PlainHash::finish() {
  if (!complete_ || seen_ != bytes_) {
    return fail(ErrorCode::internal_error, "the stored bytes do not have the size that was recorded");
  }
  return hash_.hex();
}

}  // namespace glovebox::records
