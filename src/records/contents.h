// The bytes of records, each kept once under the SHA-256 of what it is uncompressed. Only what is smaller than its own
// bookkeeping would be is kept with its run.
//
// A content is prepared on its caller's thread (hashed, compressed, a large one written to a temporary file) and then
// saved within a transaction, where a large one is renamed to its place: under the write lock, which deletion and
// sweeping hold as well, so that no file goes away between the row that needs it and the commit. A crash can leave a
// file without a row, never a row without its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "records/run_record.h"
#include "records/sqlite.h"

namespace glovebox::records {

// What is smaller stays with its run; what is larger than the other when stored is a file.
inline constexpr std::size_t kLeastContent = 256;
inline constexpr std::size_t kMaxContentInDatabase = std::size_t{64} << 10U;

// A temporary file, removed unless it was moved to its place.
class PendingFile {
 public:
  PendingFile() = default;
  explicit PendingFile(std::string path) : path_(std::move(path)) {}
  PendingFile(PendingFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PendingFile& operator=(PendingFile&& other) noexcept {
    path_.swap(other.path_);
    return *this;
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool exists() const { return !path_.empty(); }

 private:
  std::string path_;
};

struct Content {
  ContentRef ref;
  std::uint32_t position = 0;  // among those of the same role
  std::string media_type;
  std::string data;  // as it is stored, when that is in the database
  bool compressed = false;
  std::uint64_t stored_bytes = 0;
  PendingFile file;
  // The bytes themselves, of a content that was there already when it was prepared.
  std::optional<std::string> plain;
};

// A content of a run as it was found in the database.
struct ContentRow {
  ContentRef ref;
  std::uint32_t position = 0;
  std::string media_type;
  std::optional<std::int64_t> content_id;
  std::string data;  // of one without an id
};

class Contents {
 public:
  explicit Contents(std::string store_directory) : root_(std::move(store_directory)), directory_(root_ + "/contents") {}

  // `reader` may be any connection.
  [[nodiscard]] base::Result<Content> prepare(Database& reader, ContentRef ref, std::uint32_t position,
                                              std::string media_type, std::string bytes) const;
  // Within a write transaction. May be called again after a rollback.
  [[nodiscard]] base::Status save(Database& writer, std::int64_t run_number, Content& content) const;
  // Checks the hash: damage is told, never handed out.
  [[nodiscard]] base::Result<std::string> load(Database& reader, const ContentRow& row) const;

  // Of a content that is a file; invalid (errno) if it is not there or no regular file.
  [[nodiscard]] base::Fd open_file(std::string_view sha256) const;

  // Removes the files of contents that have no row (any more). Within a write transaction.
  [[nodiscard]] base::Status remove_files(Database& writer, const std::vector<std::string>& hashes) const;
  // The hashes of all files in the n-th of kFolders folders.
  static constexpr unsigned kFolders = 256;
  [[nodiscard]] std::vector<std::string> files_in(unsigned folder) const;
  // Temporary files that nobody can be writing any more.
  void remove_stale_temporaries() const;

 private:
  [[nodiscard]] std::string path_of(std::string_view sha256) const;
  [[nodiscard]] base::Result<PendingFile> write_temporary(std::string_view data) const;
  [[nodiscard]] base::Status move_to_place(Content& content) const;
  [[nodiscard]] base::Status encode(Content& content, std::string_view bytes) const;
  [[nodiscard]] base::Result<std::int64_t> save_bytes(Database& writer, Content& content) const;
  [[nodiscard]] base::Result<std::string> load_bytes(Database& reader, std::int64_t content_id) const;

  std::string root_;
  std::string directory_;
};

}  // namespace glovebox::records
