#include "records/blob_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/sha256.h"
#include "base/temporary_directory.h"
#include "os/files.h"

namespace glovebox::records {
namespace {

class BlobStoreTest : public testing::Test {
 protected:
  std::string add(const std::string& bytes) {
    const std::string path = directory_ + "/source";
    std::ofstream(path) << bytes;
    const base::Fd file(::open(path.c_str(), O_RDONLY));
    return BlobStore(directory_ + "/store").add(file.get()).value();
  }

  base::TemporaryDirectory temporary_{"blobs"};
  const std::string directory_ = temporary_.path();
};

TEST_F(BlobStoreTest, GivesBackWhatWasStoredUnderItsHash) {
  const std::string hash = add("hello");
  EXPECT_EQ(hash, base::sha256_hex("hello"));
  const auto blob = BlobStore(directory_ + "/store").open(hash);
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->bytes, 5U);
  ::lseek(blob->fd.get(), 0, SEEK_SET);
  EXPECT_EQ(os::read_all(blob->fd.get(), 100).value(), "hello");
}

TEST_F(BlobStoreTest, StoringTwiceIsStoringOnce) { EXPECT_EQ(add("same"), add("same")); }

TEST_F(BlobStoreTest, MissingAndMisnamedBlobsAreToldApart) {
  const BlobStore store(directory_ + "/store");
  EXPECT_EQ(store.open(std::string(64, '0')).error().code, base::ErrorCode::blob_missing);
  EXPECT_EQ(store.open("../../etc/passwd").error().code, base::ErrorCode::invalid_request);
}

TEST_F(BlobStoreTest, ChangedBytesAreNoticed) {
  const std::string hash = add("hello");
  const std::string path = directory_ + "/store/" + hash.substr(0, 2) + "/" + hash;
  ::chmod(path.c_str(), 0600);
  std::ofstream(path) << "hullo";
  EXPECT_EQ(BlobStore(directory_ + "/store").open(hash).error().code, base::ErrorCode::blob_missing);
}

TEST_F(BlobStoreTest, ALinkIsNotABlob) {
  const std::string hash = base::sha256_hex("secret");
  std::filesystem::create_directories(directory_ + "/store/" + hash.substr(0, 2));
  std::ofstream(directory_ + "/outside") << "secret";
  std::filesystem::create_symlink(directory_ + "/outside", directory_ + "/store/" + hash.substr(0, 2) + "/" + hash);
  EXPECT_FALSE(BlobStore(directory_ + "/store").open(hash));
}

TEST_F(BlobStoreTest, TakesABlobInPieces) {
  const BlobStore store(directory_ + "/store");
  const std::string hash = base::sha256_hex("hello world");
  EXPECT_FALSE(store.has(hash));
  {
    auto writer = store.write(hash, 11);
    ASSERT_TRUE(writer);
    EXPECT_TRUE(writer->append("hello "));
    EXPECT_TRUE(writer->append("world"));
    EXPECT_FALSE(writer->append("!")) << "past the bound";
    EXPECT_EQ(writer->bytes(), 11U);
    EXPECT_FALSE(store.has(hash)) << "not before it is whole";
    EXPECT_TRUE(writer->commit());
    EXPECT_FALSE(writer->commit());
    EXPECT_FALSE(writer->append("x"));
  }
  EXPECT_TRUE(store.has(hash));
  EXPECT_EQ(store.size(hash), 11U);
  EXPECT_TRUE(store.open(hash));
  EXPECT_FALSE(store.has("../../etc/passwd"));
  EXPECT_FALSE(store.write("../../etc/passwd", 10));
}

TEST_F(BlobStoreTest, WhatBreaksItsPromiseLeavesNoTrace) {
  const BlobStore store(directory_ + "/store");
  const std::string hash = base::sha256_hex("hello");
  {
    auto writer = store.write(hash, 100);
    ASSERT_TRUE(writer->append("hullo"));
    EXPECT_EQ(writer->commit().error().code, base::ErrorCode::invalid_request);
  }
  {
    auto abandoned = store.write(hash, 100);
    ASSERT_TRUE(abandoned->append("hel"));
    const BlobWriter moved = std::move(*abandoned);
  }
  EXPECT_FALSE(store.has(hash));
  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/store"));
}

TEST_F(BlobStoreTest, RemovesWhatIsOlder) {
  const std::string old_hash = add("old");
  const std::string new_hash = add("new");
  const BlobStore store(directory_ + "/store");
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(48);
  std::filesystem::last_write_time(directory_ + "/store/" + old_hash.substr(0, 2) + "/" + old_hash, long_ago);
  std::ofstream(directory_ + "/store/incoming.left") << "x";
  std::filesystem::last_write_time(directory_ + "/store/incoming.left", long_ago);
  EXPECT_EQ(store.remove_older_than(std::chrono::system_clock::now() - std::chrono::hours(24)).value(), 2U);
  EXPECT_FALSE(store.has(old_hash));
  EXPECT_TRUE(store.has(new_hash));
  EXPECT_EQ(BlobStore(directory_ + "/nowhere").remove_older_than(std::chrono::system_clock::now()).value(), 0U);
}

}  // namespace
}  // namespace glovebox::records
