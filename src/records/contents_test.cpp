#include "records/contents.h"

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <utime.h>

#include <fstream>

#include "records/content_codec.h"
#include "records/test_support.h"

namespace glovebox::records {
namespace {

using testing::HasSubstr;

class ContentsTest : public StoreTest {
 protected:
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> paths;
    if (std::filesystem::exists(directory() + "/contents")) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(directory() + "/contents")) {
        if (entry.is_regular_file()) {
          paths.push_back(entry.path());
        }
      }
    }
    return paths;
  }
  void put_output(const std::string& run_id, const std::string& output) {
    put(make_start(run_id), make_end(run_id, output));
  }
};

TEST_F(ContentsTest, EqualBytesAreStoredOnce) {
  const std::string large = noise(200'000);
  put_output("run_a", large);
  ASSERT_EQ(files().size(), 1U);
  EXPECT_THAT(files()[0], HasSubstr(base::sha256_hex(large) + ".zst"));
  const auto written = std::filesystem::last_write_time(files()[0]);
  put_output("run_b", large);
  ASSERT_TRUE(store_->begin(make_start("run_c", "print(2)")));
  ASSERT_TRUE(store_->finish(make_end("run_c", large)));
  ASSERT_EQ(files().size(), 1U);
  EXPECT_EQ(std::filesystem::last_write_time(files()[0]), written);
  EXPECT_EQ(get("run_b").result->standard_output, large);
  EXPECT_EQ(get("run_c").result->standard_output, large);
}

TEST_F(ContentsTest, SmallBytesAreCheckedToo) {
  put_output("run_a", "small");
  sqlite3* handle = nullptr;
  ASSERT_EQ(::sqlite3_open((directory() + "/glovebox.db").c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(
      ::sqlite3_exec(handle, "UPDATE run_contents SET data = x'41' WHERE role = 'stdout'", nullptr, nullptr, nullptr),
      SQLITE_OK);
  ::sqlite3_close(handle);
  EXPECT_THAT(store_->find("run_a").error().message, HasSubstr("is damaged"));
}

TEST_F(ContentsTest, WhatCompressesWellStaysInTheDatabase) {
  put_output("run_a", std::string(5'000'000, 'a'));
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(get("run_a").result->standard_output, std::string(5'000'000, 'a'));
  EXPECT_LT(get("run_a").summary.stored_bytes, 10'000U);
}

TEST_F(ContentsTest, DamageIsToldAndNeverHandedOut) {
  put_output("run_a", noise(200'000));
  const std::string path = files().at(0);
  const std::string good = [&] {
    std::ifstream stream(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }();
  const auto expect_refused = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    const auto found = store_->find("run_a");
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message, HasSubstr("is damaged"));
  };
  std::string flipped = good;
  flipped[1000] = static_cast<char>(flipped[1000] ^ 1);
  expect_refused(flipped);
  expect_refused(good.substr(0, 1000));
  expect_refused("");
  expect_refused(compress(noise(200'000, 2)));
  expect_refused(compress(std::string(100'000'000, '\0')));  // its size alone gives it away
  std::filesystem::remove(path);
  EXPECT_THAT(store_->find("run_a").error().message, HasSubstr("is damaged"));
  put_output("run_b", noise(200'000));
  EXPECT_TRUE(store_->find("run_a")) << "the same bytes came again";
}

TEST_F(ContentsTest, WhatACrashLeftIsSweptByTheNextService) {
  put_output("run_a", noise(200'000));
  const std::string orphan_hash = base::sha256_hex("orphan");
  const std::string folder = directory() + "/contents/" + orphan_hash.substr(0, 2);
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/" + orphan_hash + ".zst") << "left behind";
  const std::string old_temporary = directory() + "/contents/incoming.old";
  const std::string new_temporary = directory() + "/contents/incoming.new";
  std::ofstream(old_temporary) << "x";
  std::ofstream(new_temporary) << "x";
  const utimbuf long_ago{1000, 1000};
  ASSERT_EQ(::utime(old_temporary.c_str(), &long_ago), 0);
  ASSERT_TRUE(store_->lock_for_serving());
  EXPECT_FALSE(std::filesystem::exists(folder + "/" + orphan_hash + ".zst"));
  EXPECT_FALSE(std::filesystem::exists(old_temporary));
  EXPECT_TRUE(std::filesystem::exists(new_temporary)) << "somebody may be writing it";
  EXPECT_EQ(get("run_a").result->standard_output, noise(200'000));
}

TEST_F(ContentsTest, AnUncheckedFileIsReplaced) {
  const std::string hash = base::sha256_hex(noise(200'000));
  std::filesystem::create_directories(directory() + "/contents/" + hash.substr(0, 2));
  std::ofstream(directory() + "/contents/" + hash.substr(0, 2) + "/" + hash + ".zst") << "half a file";
  put_output("run_a", noise(200'000));
  EXPECT_EQ(get("run_a").result->standard_output, noise(200'000));
}

TEST(ContentCodecTest, ReadsBackWhatItWrote) {
  for (const std::string& bytes : {std::string(), std::string("a"), std::string(100'000, 'a'), noise(100'000)}) {
    EXPECT_EQ(decompress(compress(bytes), bytes.size()).value(), bytes);
    EXPECT_FALSE(decompress(compress(bytes), bytes.size() + 1));
  }
  EXPECT_FALSE(decompress("", 0));
  EXPECT_FALSE(decompress("no frame", 8));
  EXPECT_FALSE(decompress(compress("a"), ~std::uint64_t{0}));
}

}  // namespace
}  // namespace glovebox::records
