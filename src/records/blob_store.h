// Inputs that are too large to travel with a request, by the SHA-256 of their bytes (A2).
//
// Files in one directory, named by their hash and never changed: <directory>/ab/abcdef…. What is stored is read-only,
// and is hashed again before a run may see it: the name of a blob is a promise about its bytes.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace glovebox::records {

struct StoredBlob {
  base::Fd fd;  // read-only
  std::uint64_t bytes = 0;
};

class BlobStore {
 public:
  explicit BlobStore(std::string directory) : directory_(std::move(directory)) {}

  // Copies everything that can be read from `source`; returns the SHA-256.
  [[nodiscard]] base::Result<std::string> add(int source) const;
  // Opens a blob and checks its bytes against its name.
  [[nodiscard]] base::Result<StoredBlob> open(std::string_view sha256) const;

 private:
  [[nodiscard]] std::string path_of(std::string_view sha256) const;

  std::string directory_;
};

}  // namespace glovebox::records
