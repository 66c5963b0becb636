#include "engine/image/host_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>

#include "base/temporary_directory.h"
#include "os/files.h"

namespace glovebox::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHexDigits = 64;

// Walking /usr takes a second or two, so the tests share what they can.
class HostImageTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = std::make_unique<base::TemporaryDirectory>("image");
    image_ = open_host_image(cache());
  }
  static void TearDownTestSuite() { directory_.reset(); }
  static std::string cache() { return directory_->path() + "/cache"; }
  static std::string cache_file() { return cache() + "/host-image"; }

  static std::unique_ptr<base::TemporaryDirectory> directory_;
  static base::Result<Image> image_;
};
std::unique_ptr<base::TemporaryDirectory> HostImageTest::directory_;
base::Result<Image> HostImageTest::image_ = Image{};

TEST_F(HostImageTest, HasADigest) {
  ASSERT_TRUE(image_);
  EXPECT_TRUE(image_->digest.starts_with("sha256:"));
  EXPECT_EQ(image_->digest.size(), 7 + kHexDigits);
}

TEST_F(HostImageTest, RemembersItsDigest) {
  const std::string key = os::read_file(cache_file()).value().substr(0, kHexDigits);
  const std::string told(kHexDigits, 'a');
  ASSERT_TRUE(os::replace_file(cache_file(), key + "\n" + told + "\n"));
  EXPECT_EQ(open_host_image(cache())->digest, "sha256:" + told);
}

TEST_F(HostImageTest, ComputesTheDigestAgainWhenTheKeyOrTheCacheIsNotRight) {
  ASSERT_TRUE(
      os::replace_file(cache_file(), std::string(kHexDigits, '0') + "\n" + std::string(kHexDigits, 'a') + "\n"));
  EXPECT_EQ(open_host_image(cache())->digest, image_->digest) << "another key";
  const std::string key = os::read_file(cache_file()).value().substr(0, kHexDigits);
  ASSERT_TRUE(os::replace_file(cache_file(), key + "\nshort\n"));
  EXPECT_EQ(open_host_image(cache())->digest, image_->digest) << "a damaged file";
}

TEST_F(HostImageTest, BelievesADigestForADay) {
  const std::string key = os::read_file(cache_file()).value().substr(0, kHexDigits);
  const auto remember = [&](std::chrono::hours age) {
    ASSERT_TRUE(os::replace_file(cache_file(), key + "\n" + std::string(kHexDigits, 'a') + "\n"));
    fs::last_write_time(cache_file(), fs::file_time_type::clock::now() - age);
  };
  remember(std::chrono::hours(23));
  EXPECT_NE(open_host_image(cache())->digest, image_->digest);
  remember(std::chrono::hours(25));
  EXPECT_EQ(open_host_image(cache())->digest, image_->digest);
}

TEST_F(HostImageTest, ShowsParentsBeforeTheirChildren) {
  std::set<std::string> made;
  for (const RootEntry& entry : image_->entries) {
    const std::size_t slash = entry.target.rfind('/');
    if (slash != std::string::npos && !entry.target.starts_with("usr/")) {
      EXPECT_TRUE(made.contains(entry.target.substr(0, slash))) << entry.target;
    }
    EXPECT_TRUE(made.insert(entry.target).second) << entry.target << " is there twice";
  }
}

TEST_F(HostImageTest, ShowsOfTheHostOnlyUsrAndHarmlessFiles) {
  for (const RootEntry& entry : image_->entries) {
    if (entry.kind != RootEntry::Kind::image && entry.kind != RootEntry::Kind::bind_directory &&
        entry.kind != RootEntry::Kind::copied_file) {
      continue;
    }
    const bool harmless = entry.source == "/usr" || entry.source.starts_with("/lib") || entry.source == "/bin" ||
                          entry.source == "/sbin" || entry.source.starts_with("/etc/");
    EXPECT_TRUE(harmless) << entry.source;
    for (const char* secret : {"shadow", "ssh", "ssl", "passwd", "hostname", "resolv"}) {
      EXPECT_EQ(entry.source.find(secret), std::string::npos) << entry.source;
    }
  }
}

TEST_F(HostImageTest, BringsItsOwnUsersInsteadOfTheHosts) {
  const auto passwd = std::find_if(image_->entries.begin(), image_->entries.end(),
                                   [](const RootEntry& entry) { return entry.target == "etc/passwd"; });
  ASSERT_NE(passwd, image_->entries.end());
  EXPECT_EQ(passwd->kind, RootEntry::Kind::file);
  EXPECT_NE(passwd->source.find(":1000:1000:"), std::string::npos);
}

}  // namespace
}  // namespace glovebox::engine
