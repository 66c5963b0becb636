#include "verification/absence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rel_path.h"

namespace glovebox::verification {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AbsenceTest : public ::testing::Test {
 protected:
  AbsenceTest() { left_.unknown.clear(); }

  std::string presence(const std::string& path) { return presence_at(path, request_, result_, left_); }
  void not_collected(const std::string& what) { result_.denials.push_back({what, "why", "artifacts", "", 1}); }

  contract::RunRequest request_;
  contract::RunResult result_;
  WorkLeft left_;
};

TEST_F(AbsenceTest, NothingIsThere) {
  left_.written = {"core.txt", "cor", "a/core"};
  left_.kept_inputs = {"in.csv"};
  not_collected("artifact other");
  result_.denials.push_back({"socket(AF_INET)", "network is off", "seccomp", "", 1});
  EXPECT_EQ(presence("core"), "");
}

TEST_F(AbsenceTest, WhatWasNotCollectedMayBeThere) {
  not_collected("artifact link");
  not_collected("artifact closed/");
  EXPECT_THAT(presence("link"), HasSubstr("artifact link: why"));
  EXPECT_THAT(presence("link/a.txt"), HasSubstr("artifact link"));
  EXPECT_THAT(presence("closed/a/b.txt"), HasSubstr("artifact closed/"));
  EXPECT_THAT(presence("closed"), HasSubstr("artifact closed/"));
  EXPECT_EQ(presence("linked"), "");
  EXPECT_EQ(presence("closed.txt"), "");
}

TEST_F(AbsenceTest, ADirectoryIsThereWhenAFileIsInIt) {
  left_.written = {"out/deep/a.txt"};
  left_.kept_inputs = {"data/in.csv"};
  EXPECT_THAT(presence("out"), HasSubstr("a directory with out/deep/a.txt in it"));
  EXPECT_THAT(presence("out/deep"), HasSubstr("a directory"));
  EXPECT_THAT(presence("data"), HasSubstr("data/in.csv still is"));
  EXPECT_EQ(presence("ou"), "");
}

TEST_F(AbsenceTest, InputsAreThereUntilTheyAreRemoved) {
  request_.files.push_back({*base::RelPath::parse("in.csv"), std::string("a\n")});
  EXPECT_EQ(presence("in.csv"), "") << "the program removed it";
  left_.kept_inputs = {"in.csv"};
  EXPECT_THAT(presence("in.csv"), HasSubstr("the input file in.csv still is"));
  request_.files.push_back({*base::RelPath::parse("big/blob.csv"), contract::BlobRef()});
  EXPECT_THAT(presence("big/blob.csv"), HasSubstr("read-only"));
  EXPECT_THAT(presence("big"), HasSubstr("read-only"));
}

TEST_F(AbsenceTest, WhatCannotBeKnownFails) {
  left_.unknown = "the program made its work directory unreadable";
  EXPECT_THAT(presence("a"), HasSubstr("work directory unreadable"));
  EXPECT_THAT(presence_at("a", request_, result_, WorkLeft()), HasSubstr("nobody has looked"));
  left_.unknown.clear();
  not_collected("other artifacts");
  EXPECT_THAT(presence("a"), HasSubstr("other artifacts"));
  result_.denials.clear();
  for (int index = 0; index < 32; ++index) {
    not_collected("artifact d" + std::to_string(index) + "/");
  }
  EXPECT_THAT(presence("a"), HasSubstr("too much was not collected"));
}

TEST_F(AbsenceTest, LongNamesAreCutWhenTheyAreTold) {
  const std::string directory(210, 'd');
  not_collected("artifact " + directory.substr(0, 200) + "…");
  EXPECT_THAT(presence(directory + "/a"), HasSubstr("why"));
  EXPECT_EQ(presence("a"), "");
}

TEST(ParentsOf, AreAllOnTheWay) {
  EXPECT_THAT(parents_of("out/a/b.txt"), ElementsAre("out", "out/a"));
  EXPECT_THAT(parents_of("b.txt"), IsEmpty());
}

}  // namespace
}  // namespace glovebox::verification
