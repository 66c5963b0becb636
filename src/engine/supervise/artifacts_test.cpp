#include "engine/supervise/artifacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/sha256.h"
#include "engine/supervise/work_fixture.h"

namespace glovebox::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ArtifactsTest : public WorkFixture {
 protected:
  ArtifactHarvest collect(const std::vector<std::string>& patterns = {"**"}) {
    return collect_artifacts(scratch(uid_, uid_), patterns, limits_, inputs_);
  }
  static std::vector<std::string> paths(const ArtifactHarvest& harvest) {
    std::vector<std::string> found;
    for (const contract::Artifact& artifact : harvest.artifacts) {
      found.push_back(artifact.path);
    }
    return found;
  }

  std::uint32_t uid_ = ::geteuid();
  contract::Limits limits_;
};

TEST_F(ArtifactsTest, TakesWhatMatchesWithHashSizeAndType) {
  write("out.csv", "a,b\n");
  write("plots/one.png", "not really");
  write("notes.txt", "x");
  const auto harvest = collect({"*.csv", "plots/**"});
  EXPECT_THAT(paths(harvest), ElementsAre("out.csv", "plots/one.png"));
  EXPECT_EQ(harvest.artifacts[0].sha256, base::sha256_hex("a,b\n"));
  EXPECT_EQ(harvest.artifacts[0].bytes, 4U);
  EXPECT_EQ(harvest.artifacts[0].media_type, "text/csv");
  EXPECT_EQ(harvest.artifacts[0].content, "a,b\n");
  EXPECT_EQ(harvest.over_limit, "");
}

TEST_F(ArtifactsTest, TakesNothingWithoutAPattern) {
  write("out.csv", "a");
  EXPECT_THAT(collect({}).artifacts, IsEmpty());
}

TEST_F(ArtifactsTest, RefusesWhatIsNoRegularFileAndSaysSo) {
  write("real", "x");
  fs::create_symlink("real", work_ / "link");
  fs::create_symlink("/etc/passwd", work_ / "passwd");
  ASSERT_EQ(::mkfifo((work_ / "fifo").c_str(), 0644), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string place = (work_ / "socket").string();
  ASSERT_LT(place.size(), sizeof(address.sun_path));
  place.copy(address.sun_path, place.size());
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ::close(socket);

  const auto harvest = collect();
  EXPECT_THAT(paths(harvest), ElementsAre("real"));
  ASSERT_EQ(harvest.refused.size(), 4U);
  const std::vector<std::pair<std::string, std::string>> expected = {{"artifact fifo", "a fifo"},
                                                                     {"artifact link", "a symbolic link"},
                                                                     {"artifact passwd", "a symbolic link"},
                                                                     {"artifact socket", "a socket"}};
  for (std::size_t index = 0; index < expected.size(); ++index) {
    EXPECT_EQ(harvest.refused[index].what, expected[index].first);
    EXPECT_THAT(harvest.refused[index].target, HasSubstr(expected[index].second));
    EXPECT_EQ(harvest.refused[index].layer, "artifacts");
    EXPECT_NE(harvest.refused[index].grant, "");
  }
}

TEST_F(ArtifactsTest, DoesNotWalkThroughALinkToADirectory) {
  fs::create_directory(directory_ / "outside");
  std::ofstream(directory_ / "outside/secret.txt") << "secret";
  fs::create_directory_symlink(directory_ / "outside", work_ / "inside");
  const auto harvest = collect({"**"});
  EXPECT_THAT(harvest.artifacts, IsEmpty());
  ASSERT_EQ(harvest.refused.size(), 1U);
  EXPECT_EQ(harvest.refused[0].what, "artifact inside");
}

TEST_F(ArtifactsTest, RefusesNamesThatCouldDeceive) {
  for (const char* name : {"new\nline", "esc\x1b[2J", "invalid\xff", "tab\tbed"}) {
    write(name, "x");
  }
  write("plain-with space and Ü.txt", "x");
  write("-rf", "x");
  const auto harvest = collect();
  EXPECT_THAT(paths(harvest), ElementsAre("-rf", "plain-with space and Ü.txt"));
  ASSERT_EQ(harvest.refused.size(), 4U);
  for (const contract::Denial& refused : harvest.refused) {
    EXPECT_EQ(refused.what.find_first_of("\n\t\x1b\xff"), std::string::npos) << refused.what;
  }
}

TEST_F(ArtifactsTest, ListsAFileThatTheProgramMadeUnreadable) {
  write("locked.csv", "x");
  ASSERT_EQ(::chmod((work_ / "locked.csv").c_str(), 0), 0);
  ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
  uid_ = ::geteuid() == 0 ? 0x70000123U : ::geteuid();
  const auto harvest = collect();
  EXPECT_THAT(harvest.artifacts, IsEmpty());
  ASSERT_EQ(harvest.refused.size(), 1U);
  EXPECT_THAT(harvest.refused[0].target, HasSubstr("unreadable"));
}

TEST_F(ArtifactsTest, ListsADirectoryThatTheProgramClosed) {
  write("closed/inner.csv", "x");
  write("open.csv", "x");
  ASSERT_EQ(::chmod((work_ / "closed").c_str(), 0), 0);
  ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
  uid_ = ::geteuid() == 0 ? 0x70000123U : ::geteuid();
  const auto harvest = collect();
  ::chmod((work_ / "closed").c_str(), 0755);
  EXPECT_THAT(paths(harvest), ElementsAre("open.csv"));
  ASSERT_EQ(harvest.refused.size(), 1U);
  EXPECT_EQ(harvest.refused[0].what, "artifact closed/");
}

TEST_F(ArtifactsTest, StopsAtTheNumberOfFiles) {
  limits_.artifact_count = 2;
  for (const char* name : {"a", "b", "c", "d"}) {
    write(name, "x");
  }
  const auto harvest = collect();
  EXPECT_THAT(paths(harvest), ElementsAre("a", "b"));
  EXPECT_THAT(harvest.over_limit, HasSubstr("artifact_count"));
}

TEST_F(ArtifactsTest, LeavesOutAFileThatIsTooLargeAndKeepsTheOthers) {
  limits_.artifact_file_bytes = 10;
  write("fits", std::string(10, 'x'));
  write("exceeds", std::string(11, 'x'));
  const auto harvest = collect();
  EXPECT_THAT(paths(harvest), ElementsAre("fits"));
  EXPECT_THAT(harvest.over_limit, HasSubstr("exceeds"));
}

TEST_F(ArtifactsTest, StopsAtTheSumOfAllFiles) {
  limits_.artifact_bytes = 10;
  for (const char* name : {"a", "b", "c"}) {
    write(name, std::string(5, 'x'));
  }
  const auto harvest = collect();
  EXPECT_THAT(paths(harvest), ElementsAre("a", "b"));
  EXPECT_THAT(harvest.over_limit, HasSubstr("limits.artifact_bytes"));
}

TEST_F(ArtifactsTest, ASparseFileCountsWithTheSizeThatAReaderWouldSee) {
  write("sparse", "");
  fs::resize_file(work_ / "sparse", std::uintmax_t{1} << 40U);
  const auto harvest = collect();
  EXPECT_THAT(harvest.artifacts, IsEmpty());
  EXPECT_THAT(harvest.over_limit, HasSubstr("sparse"));
}

TEST_F(ArtifactsTest, AnInputIsAnArtifactOnlyWhenItChanged) {
  write("same.csv", "as passed in");
  write("changed.csv", "by the program");
  inputs_ = {{"same.csv", base::sha256_hex("as passed in")}, {"changed.csv", base::sha256_hex("as passed in")}};
  EXPECT_THAT(paths(collect()), ElementsAre("changed.csv"));
}

TEST_F(ArtifactsTest, ThePlaceOfABlobIsNoArtifact) {
  write("blob.bin", "");
  inputs_ = {{"blob.bin", ""}};
  EXPECT_THAT(collect().artifacts, IsEmpty());
}

TEST_F(ArtifactsTest, UnchangedInputsCountAgainstNoCap) {
  const std::string large(100, 'x');
  limits_.artifact_file_bytes = 10;
  limits_.artifact_bytes = 10;
  limits_.artifact_count = 1;
  write("a.out", "1234567890");
  write("input_1.csv", large);
  write("input_2.csv", large);
  inputs_ = {{"input_1.csv", base::sha256_hex(large)}, {"input_2.csv", base::sha256_hex(large)}};
  const auto harvest = collect();
  EXPECT_THAT(paths(harvest), ElementsAre("a.out"));
  EXPECT_EQ(harvest.over_limit, "");
}

TEST_F(ArtifactsTest, BoundsTheListOfRefusals) {
  for (int index = 0; index < 100; ++index) {
    fs::create_symlink("nowhere", work_ / ("link" + std::to_string(index)));
  }
  const auto harvest = collect();
  ASSERT_EQ(harvest.refused.size(), 32U);
  EXPECT_EQ(harvest.refused.back().what, "other artifacts");
  std::uint64_t total = 0;
  for (const contract::Denial& refused : harvest.refused) {
    total += refused.count;
  }
  EXPECT_EQ(total, 100U) << "every one is counted";
}

TEST_F(ArtifactsTest, SurvivesATreeThatIsTooDeep) {
  fs::path deep = work_;
  for (int level = 0; level < 80; ++level) {
    deep /= "d";
    fs::create_directory(deep);
  }
  std::ofstream(deep / "file") << "x";
  write("top", "x");
  const auto harvest = collect();
  EXPECT_THAT(paths(harvest), ElementsAre("top"));
  ASSERT_EQ(harvest.refused.size(), 1U);
  EXPECT_THAT(harvest.refused[0].target, HasSubstr("too deep"));
}

TEST_F(ArtifactsTest, AWorkDirectoryThatBecameALinkGivesNothing) {
  fs::remove_all(work_);
  fs::create_directory_symlink("/etc", work_);
  EXPECT_THAT(collect().artifacts, IsEmpty());
  fs::remove(work_);
  fs::create_directory(work_);
}

}  // namespace
}  // namespace glovebox::engine
