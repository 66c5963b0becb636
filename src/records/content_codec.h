// Bytes as they are kept: zstd where that helps, as they are where it does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/sha256.h"

struct ZSTD_DCtx_s;

namespace glovebox::records {

inline constexpr std::uint64_t kMaxContentBytes = std::uint64_t{4} << 30U;

[[nodiscard]] std::string compress(std::string_view bytes);

// Exactly `bytes` bytes or an error: the size is known beforehand and believed to nobody else, so that a small file
// cannot fill the memory.
[[nodiscard]] base::Result<std::string> decompress(std::string_view compressed, std::uint64_t bytes);

// The SHA-256 of what bytes were before they were compressed, from pieces as they are stored, in bounded memory.
class PlainHash {
 public:
  PlainHash(bool compressed, std::uint64_t bytes);
  PlainHash(const PlainHash&) = delete;
  PlainHash& operator=(const PlainHash&) = delete;
  ~PlainHash();

  [[nodiscard]] base::Status feed(std::string_view stored);
  // Fails unless it was all there, and no more.
  [[nodiscard]] base::Result<std::string> finish();

 private:
  [[nodiscard]] base::Status add(std::string_view plain);

  ZSTD_DCtx_s* stream_ = nullptr;  // of what is compressed
  std::string buffer_;
  std::uint64_t bytes_;
  std::uint64_t seen_ = 0;
  bool complete_ = true;  // no frame is open
  base::Sha256 hash_;
};

}  // namespace glovebox::records
