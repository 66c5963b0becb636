#include "engine/supervise/work_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/sha256.h"
#include "engine/supervise/work_fixture.h"

namespace glovebox::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WorkTreeTest : public WorkFixture {
 protected:
  void pass_in(const std::string& path, std::string_view bytes) {
    write(path, bytes);
    inputs_[path] = base::sha256_hex(bytes);
  }
  WorkTree collect() const { return collect_work_tree(scratch(::geteuid(), ::getegid()), bounds_, inputs_); }
  static std::vector<std::string> written(const WorkTree& tree) {
    std::vector<std::string> found;
    for (const WorkFile& file : tree.written) {
      found.push_back(file.path + "=" + file.content);
    }
    return found;
  }

  WorkBounds bounds_{1000, 10};
};

TEST_F(WorkTreeTest, TellsWhatWasKeptFromWhatWasWrittenAndWhatIsGone) {
  pass_in("same", "1");
  pass_in("changed", "2");
  pass_in("gone", "3");
  write("changed", "22");
  write("new/file", "4");
  fs::remove(work_ / "gone");
  const WorkTree tree = collect();
  EXPECT_THAT(tree.kept, ElementsAre("same"));
  EXPECT_THAT(written(tree), ElementsAre("changed=22", "new/file=4"));
  EXPECT_EQ(tree.written.front().sha256, base::sha256_hex("22"));
  EXPECT_EQ(tree.incomplete, "");
}

TEST_F(WorkTreeTest, LeavesOutLinksAndOddNamesAndSaysSo) {
  write("file", "1");
  fs::create_symlink("/etc/passwd", work_ / "link");
  fs::create_directory_symlink("/etc", work_ / "directory");
  ASSERT_EQ(::mkfifo((work_ / "pipe").c_str(), 0600), 0);
  write("two\nlines", "2");
  const WorkTree tree = collect();
  EXPECT_THAT(written(tree), ElementsAre("file=1"));
  ASSERT_EQ(tree.refused.size(), 4U);
  EXPECT_EQ(tree.refused[1].what, "file link");
  EXPECT_EQ(tree.refused[1].target, "a symbolic link is not kept");
  EXPECT_EQ(tree.refused[1].layer, "workspace");
  EXPECT_EQ(tree.incomplete, "");
}

TEST_F(WorkTreeTest, HoldsNothingWhenItPassesItsBounds) {
  write("a", std::string(500, 'x'));
  write("b", std::string(498, 'y'));
  EXPECT_EQ(collect().written.size(), 2U) << "1000 bytes, with both names";
  write("b", std::string(499, 'y'));
  EXPECT_THAT(written(collect()), IsEmpty());
  EXPECT_THAT(collect().incomplete, HasSubstr("more than"));
  write("b", "");
  for (int index = 0; index < 9; ++index) {
    write("n" + std::to_string(index), "");
  }
  EXPECT_THAT(collect().incomplete, HasSubstr("more than 10 files"));
}

TEST_F(WorkTreeTest, ReadsNoFileThatOnlyClaimsToBeLarge) {
  write("sparse", "");
  ASSERT_EQ(::truncate((work_ / "sparse").c_str(), off_t{1} << 40U), 0);
  EXPECT_THAT(collect().incomplete, HasSubstr("more than"));
}

TEST_F(WorkTreeTest, IsIncompleteWhenTheProgramHidesSomething) {
  write("hidden/file", "1");
  std::string deep = "d";
  for (int depth = 0; depth < 70; ++depth) {
    deep += "/d";
  }
  fs::create_directories(work_ / deep);
  EXPECT_THAT(collect().incomplete, HasSubstr("nested too deep"));
  fs::remove_all(work_ / "d");
  EXPECT_EQ(collect().incomplete, "");
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root reads everything";
  }
  fs::permissions(work_ / "hidden", fs::perms::none);
  EXPECT_THAT(collect().incomplete, HasSubstr("unreadable"));
  fs::permissions(work_ / "hidden", fs::perms::owner_all);
  fs::permissions(work_ / "hidden/file", fs::perms::none);
  EXPECT_THAT(collect().incomplete, HasSubstr("unreadable"));
}

TEST_F(WorkTreeTest, LeavesThePlacesOfBlobsOut) {
  write("blob", "");
  inputs_["blob"] = "";
  EXPECT_THAT(written(collect()), IsEmpty());
  EXPECT_THAT(collect().kept, IsEmpty());
}

}  // namespace
}  // namespace glovebox::engine
