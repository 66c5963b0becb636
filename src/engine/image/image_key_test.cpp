#include "engine/image/image_key.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/temporary_directory.h"

namespace glovebox::engine {
namespace {

namespace fs = std::filesystem;

class ImageKeyTest : public testing::Test {
 protected:
  [[nodiscard]] std::string key() const { return image_key(tree_ + "/packages", tree_); }
  void write(const std::string& path) const {
    // Times of directories move with the clock tick of the kernel.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ofstream(tree_ + path) << "x";
  }

  base::TemporaryDirectory temporary_{"key"};
  const std::string tree_ = temporary_.path();
};

TEST_F(ImageKeyTest, StaysTheSameWhileNothingChanges) {
  fs::create_directories(tree_ + "/lib/python3/dist-packages/numpy");
  EXPECT_EQ(key(), key());
}

TEST_F(ImageKeyTest, SeesAFileThatComesIntoAPackage) {
  for (const char* package : {"/lib/python3/dist-packages/numpy", "/local/lib/python3.11/dist-packages/polars",
                              "/local/lib/python3.14/dist-packages/numpy", "/local/lib/python3.14/site-packages/pandas",
                              "/lib/node_modules/npm", "/local/lib/node_modules/left-pad", "/share/nodejs/semver"}) {
    SCOPED_TRACE(package);
    fs::create_directories(tree_ + package);
    const std::string before = key();
    write(std::string(package) + "/planted.py");
    EXPECT_NE(key(), before);
  }
}

TEST_F(ImageKeyTest, SeesANewProgramANewPackageAndAnotherVersionOfPython) {
  fs::create_directories(tree_ + "/bin");
  fs::create_directories(tree_ + "/local/lib");
  fs::create_directories(tree_ + "/lib/python3/dist-packages");
  std::string before = key();
  const auto changed = [&] { return std::exchange(before, key()) != before; };
  write("/bin/tool");
  EXPECT_TRUE(changed());
  write("/lib/python3/dist-packages/six.py");
  EXPECT_TRUE(changed());
  fs::create_directories(tree_ + "/local/lib/python3.15");
  EXPECT_TRUE(changed());
  write("/packages");
  EXPECT_TRUE(changed());
}

}  // namespace
}  // namespace glovebox::engine
