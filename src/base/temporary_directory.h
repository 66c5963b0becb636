// For tests: a directory of their own that goes away with the object, with all that is in it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace glovebox::base {

class TemporaryDirectory {
 public:
  // Throws: with an empty path a test would write into the root of the host.
  explicit TemporaryDirectory(std::string_view prefix) : path_(testing::TempDir() + std::string(prefix) + "-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), path_);
    }
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code error;
    open_for_removal();
    std::filesystem::remove_all(path_, error);
    EXPECT_FALSE(error) << path_ << ": " << error.message();
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  // A test may have taken away the permissions that removal needs; what stays locked shows when it is removed.
  void open_for_removal() const {
    namespace fs = std::filesystem;
    std::error_code ignored;
    fs::permissions(path_, fs::perms::owner_all, fs::perm_options::add, ignored);
    for (auto entry = fs::recursive_directory_iterator(path_, ignored); entry != fs::recursive_directory_iterator();
         entry.increment(ignored)) {
      if (fs::is_directory(entry->symlink_status(ignored))) {
        fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
      }
    }
  }

  std::string path_;
};

}  // namespace glovebox::base
