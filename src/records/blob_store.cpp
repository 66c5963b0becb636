#include "records/blob_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/cleanup.h"
#include "base/sha256.h"
#include "os/files.h"

namespace glovebox::records {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;

constexpr std::size_t kChunkBytes = 1U << 20U;

bool is_hash(std::string_view text) {
  constexpr std::size_t kHexDigits = 64;
  return text.size() == kHexDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Reads to the end, hashing, and copies to `copy` unless that is -1.
Result<std::string> hash_stream(int source, int copy) {
  std::vector<char> chunk(kChunkBytes);
  base::Sha256 hash;
  while (true) {
    const ssize_t got = ::read(source, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return fail(errno_error(ErrorCode::internal_error, "blob", "cannot read"));
    }
    if (got == 0) {
      return hash.hex();
    }
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(got));
    hash.update(bytes);
    if (copy >= 0) {
      TRY_STATUS(os::write_all(copy, bytes));
    }
  }
}

}  // namespace

std::string BlobStore::path_of(std::string_view sha256) const {
  return directory_ + "/" + std::string(sha256.substr(0, 2)) + "/" + std::string(sha256);
}

Result<std::string> BlobStore::add(int source) const {
  TRY_STATUS(os::make_directories(directory_));
  std::string temporary = directory_ + "/incoming.XXXXXX";
  const Fd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.valid()) {
    return fail(errno_error(ErrorCode::internal_error, "blob", "cannot write to " + directory_));
  }
  base::Cleanup remove_temporary([&] { ::unlink(temporary.c_str()); });
  const std::string sha256 = TRY(hash_stream(source, file.get()));
  // A cell reads it as another user, through a mount of the descriptor.
  if (::fchmod(file.get(), 0444) != 0 || ::fsync(file.get()) != 0) {
    return fail(errno_error(ErrorCode::internal_error, "blob", "cannot store the blob"));
  }
  const std::string path = path_of(sha256);
  TRY_STATUS(os::make_directories(path.substr(0, path.rfind('/'))));
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return fail(errno_error(ErrorCode::internal_error, "blob", "cannot store the blob"));
  }
  remove_temporary.release();
  return sha256;
}

Result<StoredBlob> BlobStore::open(std::string_view sha256) const {
  if (!is_hash(sha256)) {
    return fail(ErrorCode::invalid_request, "a blob is named by the 64 hexadecimal digits of its SHA-256");
  }
  Fd file(::open(path_of(sha256).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(base::make_error(ErrorCode::blob_missing, "no blob sha256:" + std::string(sha256) + " is stored")
                    .with_hint("store it first: glovebox blob add FILE"));
  }
  if (TRY(hash_stream(file.get(), -1)) != sha256) {
    return fail(ErrorCode::blob_missing, "the stored blob sha256:" + std::string(sha256) + " is damaged");
  }
  return StoredBlob{std::move(file), static_cast<std::uint64_t>(status.st_size)};
}

}  // namespace glovebox::records
