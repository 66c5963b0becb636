#include "records/blob_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "base/cleanup.h"
#include "base/sha256.h"
#include "os/files.h"
#include "os/private_place.h"

namespace glovebox::records {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using base::Status;

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

// The directory, and the name in it.
std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos
             ? std::pair(std::string("."), path)
             : std::pair(path.substr(0, std::max<std::size_t>(slash, 1)), path.substr(slash + 1));
}

// The file was written: others may read it, nobody may change it, and it gets its name.
Status put_in_place(int file, const std::string& temporary, const std::string& path) {
  // A cell reads it as another user, through a mount of the descriptor.
  if (::fchmod(file, 0444) != 0 || ::fsync(file) != 0) {
    return fail(errno_error(ErrorCode::internal_error, "blob", "cannot store the blob"));
  }
  const auto [folder, name] = split(path);
  const auto [directory, folder_name] = split(folder);
  const Fd place = TRY(os::open_private_directory(directory, folder_name));
  if (::renameat(AT_FDCWD, temporary.c_str(), place.get(), name.c_str()) != 0) {
    return fail(errno_error(ErrorCode::internal_error, "blob", "cannot store the blob"));
  }
  return {};
}

base::Error bad_name() {
  return base::make_error(ErrorCode::invalid_request, "a blob is named by the 64 hexadecimal digits of its SHA-256");
}

// Removes the regular files of one directory that were written before then.
std::uint64_t remove_files_before(const std::string& directory, std::time_t then, bool (*concerns)(std::string_view)) {
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(::opendir(directory.c_str()), &::closedir);
  std::uint64_t removed = 0;
  while (const dirent* entry = handle ? ::readdir(handle.get()) : nullptr) {
    struct stat status {};
    if (concerns(entry->d_name) && ::fstatat(::dirfd(handle.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && status.st_mtime < then && ::unlinkat(::dirfd(handle.get()), entry->d_name, 0) == 0) {
      ++removed;
    }
  }
  return removed;
}

constexpr std::string_view kIncoming = "incoming.";

}  // namespace

BlobWriter::BlobWriter(BlobWriter&& other) noexcept
    : file_(std::move(other.file_)),
      temporary_(std::exchange(other.temporary_, {})),
      path_(std::move(other.path_)),
      sha256_(std::move(other.sha256_)),
      max_bytes_(other.max_bytes_),
      bytes_(other.bytes_),
      hash_(other.hash_) {}

BlobWriter::~BlobWriter() {
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
  }
}

Status BlobWriter::append(std::string_view bytes) {
  if (!file_.valid()) {
    return fail(ErrorCode::internal_error, "the blob was committed already");
  }
  if (bytes.size() > max_bytes_ - bytes_) {
    return fail(ErrorCode::input_too_large, "the blob is larger than " + std::to_string(max_bytes_) + " bytes");
  }
  bytes_ += bytes.size();
  hash_.update(bytes);
  return os::write_all(file_.get(), bytes);
}

Status BlobWriter::commit() {
  const Fd file = std::move(file_);
  if (!file.valid()) {
    return fail(ErrorCode::internal_error, "the blob was committed already");
  }
  if (const std::string sha256 = hash_.hex(); sha256 != sha256_) {
    return fail(ErrorCode::invalid_request, "the bytes have the SHA-256 " + sha256 + ", not " + sha256_);
  }
  TRY_STATUS(put_in_place(file.get(), temporary_, path_));
  temporary_.clear();
  return {};
}

std::string BlobStore::path_of(std::string_view sha256) const {
  return directory_ + "/" + std::string(sha256.substr(0, 2)) + "/" + std::string(sha256);
}

Result<Fd> BlobStore::create_temporary(std::string& path) const {
  const auto [root, name] = split(directory_);
  const Fd directory = TRY(os::open_private_directory(root, name));
  std::string temporary;
  auto file = os::create_private_file(directory.get(), kIncoming, temporary);
  if (!file) {
    file.error().message = "cannot write to " + directory_ + ": " + file.error().message;
    return fail(std::move(file.error()));
  }
  path = directory_ + "/" + temporary;
  return file;
}

Result<std::string> BlobStore::add(int source) const {
  std::string temporary;
  const Fd file = TRY(create_temporary(temporary));
  base::Cleanup remove_temporary([&] { ::unlink(temporary.c_str()); });
  const std::string sha256 = TRY(hash_stream(source, file.get()));
  TRY_STATUS(put_in_place(file.get(), temporary, path_of(sha256)));
  remove_temporary.release();
  return sha256;
}

Result<StoredBlob> BlobStore::open(std::string_view sha256) const {
  if (!is_hash(sha256)) {
    return fail(bad_name());
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

Result<BlobWriter> BlobStore::write(std::string_view sha256, std::uint64_t max_bytes) const {
  if (!is_hash(sha256)) {
    return fail(bad_name());
  }
  std::string temporary;
  Fd file = TRY(create_temporary(temporary));
  return BlobWriter(std::move(file), std::move(temporary), path_of(sha256), std::string(sha256), max_bytes);
}

std::optional<std::uint64_t> BlobStore::size(std::string_view sha256) const {
  struct stat status {};
  if (!is_hash(sha256) || ::lstat(path_of(sha256).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::uint64_t> BlobStore::remove_older_than(std::chrono::system_clock::time_point then) const {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  const std::time_t time = std::chrono::system_clock::to_time_t(then);
  std::uint64_t removed =
      remove_files_before(directory_, time, [](std::string_view name) { return name.starts_with(kIncoming); });
  for (const char first : kDigits) {
    for (const char second : kDigits) {
      removed += remove_files_before(directory_ + "/" + first + second, time, is_hash);
    }
  }
  return removed;
}

}  // namespace glovebox::records
