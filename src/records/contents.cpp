#include "records/contents.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <memory>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/sha256.h"
#include "contract/request_rules.h"
#include "os/files.h"
#include "os/private_place.h"
#include "records/content_codec.h"

namespace glovebox::records {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using base::Status;

constexpr std::time_t kStaleSeconds = 3600;
constexpr std::string_view kFolder = "contents";
constexpr std::string_view kSuffix = ".zst";
constexpr std::string_view kTemporaryPrefix = "incoming.";

struct Directory {
  explicit Directory(const std::string& path) : handle(::opendir(path.c_str()), &::closedir) {}
  [[nodiscard]] const dirent* next() const { return handle ? ::readdir(handle.get()) : nullptr; }
  std::unique_ptr<DIR, int (*)(DIR*)> handle;
};

base::Error damaged(std::string_view sha256, std::string_view how) {
  base::Error error = base::make_error(ErrorCode::internal_error, "the stored content sha256:" + std::string(sha256) +
                                                                      " is damaged: " + std::string(how));
  error.stage = "records";
  return error;
}

}  // namespace

PendingFile::~PendingFile() {
  if (exists()) {
    ::unlink(path_.c_str());
  }
}

std::string Contents::path_of(std::string_view sha256) const {
  return directory_ + "/" + std::string(sha256.substr(0, 2)) + "/" + std::string(sha256) + std::string(kSuffix);
}

Result<PendingFile> Contents::write_temporary(std::string_view data) const {
  const Fd directory = TRY(os::open_private_directory(root_, kFolder));
  std::string name;
  auto file = os::create_private_file(directory.get(), kTemporaryPrefix, name);
  if (!file) {
    file.error().message = "cannot write to " + directory_ + ": " + file.error().message;
    return fail(std::move(file.error()));
  }
  PendingFile pending(directory_ + "/" + name);
  TRY_STATUS(os::write_all(file->get(), data));
  return pending;
}

Status Contents::encode(Content& content, std::string_view bytes) const {
  content.compressed = bytes.size() >= kLeastContent;
  content.data = content.compressed ? compress(bytes) : std::string(bytes);
  content.stored_bytes = content.data.size();
  if (content.stored_bytes > kMaxContentInDatabase) {
    content.file = TRY(write_temporary(content.data));
    content.data = {};
  } else if (content.compressed && content.stored_bytes >= bytes.size()) {
    content.compressed = false;
    content.data = bytes;
    content.stored_bytes = bytes.size();
  }
  return {};
}

Result<Content> Contents::prepare(Database& reader, ContentRef ref, std::uint32_t position, std::string media_type,
                                  std::string bytes) const {
  if (bytes.size() > kMaxContentBytes) {
    return fail(ErrorCode::input_too_large, "a content of a run is larger than 4 GiB");
  }
  Content content;
  content.ref = std::move(ref);
  content.ref.bytes = bytes.size();
  content.ref.sha256 = base::sha256_hex(bytes);
  content.position = position;
  content.media_type = std::move(media_type);
  // What is large and there already need not be compressed and written again.
  if (bytes.size() > kMaxContentInDatabase) {
    Statement statement = TRY(reader.prepare("SELECT data IS NULL, stored_bytes FROM contents WHERE sha256 = ?1"));
    statement.bind(content.ref.sha256);
    if (TRY(statement.step()) && (!statement.flag(0) || os::path_exists(path_of(content.ref.sha256)))) {
      content.plain = std::move(bytes);
      content.stored_bytes = statement.count(1);
      return content;
    }
  }
  TRY_STATUS(encode(content, bytes));
  return content;
}

Status Contents::move_to_place(Content& content) const {
  if (!content.file.exists()) {
    return {};
  }
  const std::string& sha256 = content.ref.sha256;
  const Fd folder = TRY(os::open_private_directory(root_, std::string(kFolder) + "/" + sha256.substr(0, 2)));
  // A hard link leaves the temporary name: after a rollback the write is tried again with it.
  const std::string name = sha256 + std::string(kSuffix);
  if (::linkat(AT_FDCWD, content.file.path().c_str(), folder.get(), name.c_str(), 0) != 0 && errno != EEXIST) {
    return fail(errno_error(ErrorCode::internal_error, "records", "cannot store " + path_of(sha256)));
  }
  return {};
}

Result<std::int64_t> Contents::save_bytes(Database& writer, Content& content) const {
  {
    Statement find = TRY(writer.prepare("SELECT content_id FROM contents WHERE sha256 = ?1"));
    find.bind(content.ref.sha256);
    if (TRY(find.step())) {
      const std::int64_t content_id = find.integer(0);
      TRY_STATUS(move_to_place(content));
      return content_id;
    }
  }
  // It went away since it was prepared.
  if (content.plain) {
    TRY_STATUS(encode(content, *content.plain));
    content.plain.reset();
  }
  if (content.file.exists()) {
    // A file without a row is what a crash left; nobody has checked it.
    ::unlink(path_of(content.ref.sha256).c_str());
  }
  TRY_STATUS(move_to_place(content));
  Statement insert = TRY(
      writer.prepare("INSERT INTO contents (sha256, bytes, stored_bytes, encoding, data) VALUES (?1, ?2, ?3, ?4, ?5)"));
  const std::string_view encoding = content.compressed ? "zstd" : "raw";
  insert.bind(content.ref.sha256, content.ref.bytes, content.stored_bytes, encoding);
  if (!content.file.exists()) {
    insert.bind_one(5, Blob{content.data});
  }
  TRY_STATUS(insert.run());
  return writer.last_insert_id();
}

Status Contents::save(Database& writer, std::int64_t run_number, Content& content) const {
  const bool is_small = content.ref.bytes < kLeastContent;
  std::int64_t content_id = 0;
  if (!is_small) {
    content_id = TRY(save_bytes(writer, content));
  }
  Statement refer = TRY(
      writer.prepare("INSERT INTO run_contents (number, role, position, path, media_type, content_id, sha256, data) "
                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"));
  refer.bind(run_number, content.ref.role, content.position, content.ref.path, content.media_type);
  if (is_small) {
    refer.bind_one(7, content.ref.sha256);
    refer.bind_one(8, Blob{content.data});
  } else {
    refer.bind_one(6, content_id);
  }
  return refer.run();
}

Result<std::string> Contents::load(Database& reader, const ContentRow& row) const {
  std::string bytes = row.content_id ? TRY(load_bytes(reader, *row.content_id)) : row.data;
  if (base::sha256_hex(bytes) != row.ref.sha256) {
    return fail(damaged(row.ref.sha256, "its bytes have another hash"));
  }
  return bytes;
}

Result<std::string> Contents::load_bytes(Database& reader, std::int64_t content_id) const {
  Statement statement = TRY(reader.prepare("SELECT sha256, bytes, encoding, data FROM contents WHERE content_id = ?1"));
  statement.bind(content_id);
  if (!TRY(statement.step())) {
    return fail(ErrorCode::internal_error, "a run refers to a content that is not stored");
  }
  const std::string sha256 = statement.text(0);
  std::string stored;
  if (statement.is_null(3)) {
    if (!contract::is_sha256_hex(sha256)) {
      return fail(damaged(sha256, "its name is no hash"));
    }
    auto file = os::read_file(path_of(sha256), kMaxContentBytes);
    if (!file) {
      return fail(damaged(sha256, file.error().message));
    }
    stored = std::move(*file);
  } else {
    stored = statement.view(3);
  }
  if (statement.view(2) == "zstd") {
    auto plain = decompress(stored, statement.count(1));
    if (!plain) {
      return fail(damaged(sha256, plain.error().message));
    }
    stored = std::move(*plain);
  }
  return stored;
}

Fd Contents::open_file(std::string_view sha256) const {
  if (!contract::is_sha256_hex(sha256)) {
    errno = EINVAL;
    return {};
  }
  Fd file(::open(path_of(sha256).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file.valid() && (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))) {
    file.reset();
    errno = EINVAL;
  }
  return file;
}

Status Contents::remove_files(Database& writer, const std::vector<std::string>& hashes) const {
  for (const std::string& sha256 : hashes) {
    Statement statement = TRY(writer.prepare("SELECT 1 FROM contents WHERE sha256 = ?1 AND data IS NULL"));
    statement.bind(sha256);
    if (!TRY(statement.step())) {
      ::unlink(path_of(sha256).c_str());
    }
  }
  return {};
}

std::vector<std::string> Contents::files_in(unsigned folder) const {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  const std::array<char, 2> name = {kDigits[(folder >> 4U) & 15U], kDigits[folder & 15U]};
  std::vector<std::string> hashes;
  const Directory directory(directory_ + "/" + std::string(name.data(), name.size()));
  while (const dirent* entry = directory.next()) {
    std::string_view file = entry->d_name;
    if (file.ends_with(kSuffix)) {
      file.remove_suffix(kSuffix.size());
      if (contract::is_sha256_hex(file)) {
        hashes.emplace_back(file);
      }
    }
  }
  return hashes;
}

void Contents::remove_stale_temporaries() const {
  const std::time_t now = ::time(nullptr);
  const Directory directory(directory_);
  while (const dirent* entry = directory.next()) {
    const std::string path = directory_ + "/" + entry->d_name;
    struct stat status {};
    if (std::string_view(entry->d_name).starts_with(kTemporaryPrefix) && ::lstat(path.c_str(), &status) == 0 &&
        status.st_mtime + kStaleSeconds < now) {
      ::unlink(path.c_str());
    }
  }
}

}  // namespace glovebox::records
