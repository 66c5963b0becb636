// For the tests of what is collected: a directory laid out like the scratch tmpfs of a cell, after the program ended.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "base/temporary_directory.h"
#include "engine/supervise/scratch.h"

namespace glovebox::engine {

class WorkFixture : public testing::Test {
 protected:
  WorkFixture() { std::filesystem::create_directory(work_); }

  void write(const std::string& path, std::string_view bytes) {
    std::filesystem::create_directories((work_ / path).parent_path());
    std::ofstream(work_ / path, std::ios::binary) << bytes;
  }
  [[nodiscard]] Scratch scratch(std::uint32_t uid, std::uint32_t gid) const {
    return {base::Fd(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), uid, gid};
  }

  base::TemporaryDirectory temporary_{"work"};
  const std::filesystem::path directory_ = temporary_.path();
  const std::filesystem::path work_ = directory_ / "work";
  std::map<std::string, std::string> inputs_;  // path → hash of what was passed in
};

}  // namespace glovebox::engine
