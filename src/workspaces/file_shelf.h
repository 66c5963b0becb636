// The bytes of every workspace of one process: files named by a number in one private directory.
//
// No name that a program chose ever reaches this disk. A StoredFile never changes and is unlinked when its last owner
// lets it go, so that whoever holds a tree of them can read all of it, whatever happens to the workspace meanwhile.
//
// Below the root each process has a directory of its own, locked while the process lives. One that nobody holds is what
// a crash has left, and goes when the next process opens its shelf.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace glovebox::workspaces {

class FileShelf;

class StoredFile {
 public:
  StoredFile(std::shared_ptr<const FileShelf> shelf, std::uint64_t number, std::uint64_t bytes, std::string sha256);
  StoredFile(const StoredFile&) = delete;
  StoredFile& operator=(const StoredFile&) = delete;
  ~StoredFile();

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }
  // At most max_bytes from offset on; nothing past the end.
  [[nodiscard]] base::Result<std::string> read(std::uint64_t offset, std::uint64_t max_bytes) const;
  [[nodiscard]] base::Result<std::string> read_whole() const { return read(0, bytes_); }

 private:
  std::shared_ptr<const FileShelf> shelf_;
  std::uint64_t number_;
  std::uint64_t bytes_;
  std::string sha256_;
};

class FileShelf : public std::enable_shared_from_this<FileShelf> {
 public:
  // Refuses a root that is a link, or that somebody else owns: /tmp is full of neighbours.
  [[nodiscard]] static base::Result<std::shared_ptr<FileShelf>> open(const std::string& root);
  FileShelf(const FileShelf&) = delete;
  FileShelf& operator=(const FileShelf&) = delete;
  ~FileShelf();

  [[nodiscard]] base::Result<std::shared_ptr<const StoredFile>> store(std::string_view bytes);

 private:
  friend class StoredFile;
  FileShelf(base::Fd root, base::Fd own, std::string name)
      : root_(std::move(root)), own_(std::move(own)), name_(std::move(name)) {}

  base::Fd root_;
  base::Fd own_;  // its lock says that we live
  std::string name_;
  std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace glovebox::workspaces
