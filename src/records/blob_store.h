// Inputs that are too large to travel with a request, by the SHA-256 of their bytes (A2).
//
// Files in one directory, named by their hash and never changed: <directory>/ab/abcdef…. What is stored is read-only,
// and is hashed again before a run may see it: the name of a blob is a promise about its bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "base/sha256.h"

namespace glovebox::records {

struct StoredBlob {
  base::Fd fd;  // read-only
  std::uint64_t bytes = 0;
};

// A blob that arrives in pieces under a promised name. What was not committed leaves no trace.
class BlobWriter {
 public:
  BlobWriter(BlobWriter&& other) noexcept;
  BlobWriter& operator=(BlobWriter&&) = delete;
  BlobWriter(const BlobWriter&) = delete;
  BlobWriter& operator=(const BlobWriter&) = delete;
  ~BlobWriter();

  // Refuses what would make the blob larger than the promised bound.
  [[nodiscard]] base::Status append(std::string_view bytes);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // Stores the blob, unless its bytes have another hash than was promised. The writer is spent either way.
  [[nodiscard]] base::Status commit();

 private:
  friend class BlobStore;
  BlobWriter(base::Fd file, std::string temporary, std::string path, std::string sha256, std::uint64_t max_bytes)
      : file_(std::move(file)),
        temporary_(std::move(temporary)),
        path_(std::move(path)),
        sha256_(std::move(sha256)),
        max_bytes_(max_bytes) {}

  base::Fd file_;
  std::string temporary_;  // empty once there is nothing to remove
  std::string path_;
  std::string sha256_;
  std::uint64_t max_bytes_;
  std::uint64_t bytes_ = 0;
  base::Sha256 hash_;
};

class BlobStore {
 public:
  explicit BlobStore(std::string directory) : directory_(std::move(directory)) {}

  // Copies everything that can be read from `source`; returns the SHA-256.
  [[nodiscard]] base::Result<std::string> add(int source) const;
  // Opens a blob and checks its bytes against its name.
  [[nodiscard]] base::Result<StoredBlob> open(std::string_view sha256) const;
  [[nodiscard]] base::Result<BlobWriter> write(std::string_view sha256, std::uint64_t max_bytes) const;

  // By the name alone: the bytes are checked when the blob is opened.
  [[nodiscard]] bool has(std::string_view sha256) const { return size(sha256).has_value(); }
  [[nodiscard]] std::optional<std::uint64_t> size(std::string_view sha256) const;
  // Removes blobs that were stored before then, and what broken uploads have left; the number of files. A blob that is
  // stored again counts as new. A run that has opened a blob keeps it.
  [[nodiscard]] base::Result<std::uint64_t> remove_older_than(std::chrono::system_clock::time_point then) const;

 private:
  [[nodiscard]] std::string path_of(std::string_view sha256) const;
  [[nodiscard]] base::Result<base::Fd> create_temporary(std::string& path) const;

  std::string directory_;
};

}  // namespace glovebox::records
