// For the tests of this folder: the repository's contract files.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace glovebox::contract {

inline std::string read_contract_file(const std::filesystem::path& path) {
  std::ifstream stream(std::filesystem::path(GLOVEBOX_SOURCE_DIR) / "contract" / path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

struct Example {
  std::string name;
  std::string text;
};

// Every file of contract/examples/<kind>, in order of name.
inline std::vector<Example> read_examples(std::string_view kind) {
  std::vector<Example> examples;
  const auto folder = std::filesystem::path(GLOVEBOX_SOURCE_DIR) / "contract" / "examples" / kind;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    examples.push_back({entry.path().filename().string(), read_contract_file(entry.path())});
  }
  std::sort(examples.begin(), examples.end(), [](const Example& a, const Example& b) { return a.name < b.name; });
  EXPECT_FALSE(examples.empty()) << folder;
  return examples;
}

}  // namespace glovebox::contract
