#include "os/private_place.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"

namespace glovebox::os {
namespace {

constexpr uid_t kService = 4242;

class PrivatePlaceTest : public testing::Test {
 protected:
  static struct stat status_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
    return status;
  }

  base::TemporaryDirectory temporary_{"private"};
  const std::string data_ = temporary_.path() + "/data";
};

TEST_F(PrivatePlaceTest, MakesWhatIsMissing) {
  ASSERT_TRUE(open_private_directory(data_ + "/deep/", "contents/ab"));
  EXPECT_EQ(status_of(data_ + "/deep/contents/ab").st_mode & 07777U, 0700U);
  ASSERT_TRUE(open_private_directory(data_ + "/deep", "contents/ab"));
}

TEST_F(PrivatePlaceTest, FollowsNoLinkBelowTheRoot) {
  std::filesystem::create_directories(temporary_.path() + "/elsewhere");
  std::filesystem::create_directories(data_);
  std::filesystem::create_directory_symlink(temporary_.path() + "/elsewhere", data_ + "/contents");
  EXPECT_FALSE(open_private_directory(data_, "contents/ab"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary_.path() + "/elsewhere"));
  std::filesystem::create_symlink(temporary_.path() + "/target", data_ + "/serve.lock");
  EXPECT_EQ(open_private_file(data_, "serve.lock").error().sys_errno, ELOOP);
  std::filesystem::create_directory_symlink(data_, temporary_.path() + "/named");
  EXPECT_TRUE(open_private_directory(temporary_.path() + "/named", "blobs")) << "whoever named the root chose the link";
}

TEST_F(PrivatePlaceTest, WhatRootMakesBelongsToTheOwnerOfThePlace) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can give files away";
  }
  std::filesystem::create_directories(data_);
  ASSERT_EQ(::chown(data_.c_str(), kService, kService), 0);
  const auto folder = open_private_directory(data_, "contents/ab");
  ASSERT_TRUE(folder);
  EXPECT_EQ(status_of(data_ + "/contents").st_uid, kService);
  EXPECT_EQ(status_of(data_ + "/contents/ab").st_uid, kService);
  std::string name;
  ASSERT_TRUE(create_private_file(folder->get(), "incoming.", name));
  EXPECT_EQ(status_of(data_ + "/contents/ab/" + name).st_uid, kService);
  ASSERT_TRUE(open_private_file(data_, "serve.lock"));
  EXPECT_EQ(status_of(data_ + "/serve.lock").st_uid, kService);
}

TEST_F(PrivatePlaceTest, WhatWasThereKeepsItsOwner) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can give files away";
  }
  std::filesystem::create_directories(data_ + "/contents");
  std::ofstream(data_ + "/serve.lock") << "root's";
  ASSERT_EQ(::chown(data_.c_str(), kService, kService), 0);
  ASSERT_TRUE(open_private_directory(data_, "contents"));
  ASSERT_TRUE(open_private_file(data_, "serve.lock"));
  EXPECT_EQ(status_of(data_ + "/contents").st_uid, 0U);
  EXPECT_EQ(status_of(data_ + "/serve.lock").st_uid, 0U) << "it may be a second name of another file";
}

}  // namespace
}  // namespace glovebox::os
