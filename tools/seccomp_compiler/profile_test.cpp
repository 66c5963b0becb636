#include <gtest/gtest.h>

#include <random>

#include "seccomp_compiler/profile_check.h"
#include "seccomp_compiler/profile_oracle.h"
#include "seccomp_compiler/profile_reader.h"

namespace glovebox::seccomp_compiler {
namespace {

constexpr std::string_view kTable = "0\tread\n1\twrite\n2\topen\n";

constexpr std::string_view kHead = R"(name = "tiny"
table = "x86_64"
foreign_architecture = { action = "kill_process", reason = "r" }
x32 = { action = "kill_process", reason = "r" }
unlisted = { id = "unknown", errno = "ENOSYS", reason = "r" }
)";
constexpr std::string_view kAllowReadWrite = R"([[allow]]
id = "io"
reason = "r"
calls = ["read", "write"]
)";
constexpr std::string_view kRefuseOpen = R"([[refuse]]
id = "opening"
errno = "EPERM"
observe = true
reason = "r"
grant = "g"
calls = ["open"]
)";

// "" when the profile passes, else the message.
std::string problem(const std::string& text) {
  const auto table = read_syscall_table(kTable, "table.tsv");
  EXPECT_TRUE(table);
  const auto profile = read_profile(text, "p.toml", *table);
  if (!profile) {
    return profile.error().message;
  }
  const auto status = check_profile(*profile, *table);
  return status ? "" : status.error().message;
}

std::string with(std::initializer_list<std::string_view> parts) {
  std::string out(kHead);
  for (const std::string_view part : parts) {
    out += part;
  }
  return out;
}

// A conditional for open whose cases have these tests; the first allows, the others refuse.
std::string open_when(std::initializer_list<std::string_view> tests) {
  std::string out = R"([[conditional]]
calls = ["open"]
reason = "r"
[conditional.otherwise]
id = "o"
verdict = "refuse"
errno = "EPERM"
observe = true
reason = "r"
grant = "g"
)";
  int number = 0;
  for (const std::string_view test : tests) {
    out += "[[conditional.case]]\nid = \"c" + std::to_string(number) + "\"\nwhen = [" + std::string(test) + "]\n";
    out += number++ == 0 ? "verdict = \"allow\"\n"
                         : "verdict = \"refuse\"\nerrno = \"EPERM\"\nobserve = true\nreason = \"r\"\ngrant = \"g\"\n";
  }
  return with({kAllowReadWrite, out});
}

TEST(SeccompProfile, AcceptsAProfileThatPlacesEveryCallOnce) {
  EXPECT_EQ(problem(with({kAllowReadWrite, kRefuseOpen})), "");
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", in = [1] }"})), "");
}

TEST(SeccompProfile, RefusesAForgottenCall) {
  EXPECT_EQ(problem(with({kAllowReadWrite})), "p.toml:1: system call open (2) has no place");
}

TEST(SeccompProfile, RefusesACallInTwoPlaces) {
  EXPECT_EQ(
      problem(with({kAllowReadWrite, kRefuseOpen, "[[allow]]\nid = \"x\"\nreason = \"r\"\ncalls = [\"read\"]\n"})),
      "p.toml:20: read already has a place at line 9");
}

TEST(SeccompProfile, RefusesACallTwiceInOneGroup) {
  EXPECT_EQ(problem(with({"[[allow]]\nid = \"x\"\nreason = \"r\"\ncalls = [\"read\", \"read\"]\n"})),
            "p.toml:9: read already has a place at line 9");
}

TEST(SeccompProfile, RefusesAnUnknownCall) {
  EXPECT_EQ(problem(with({"[[allow]]\nid = \"x\"\nreason = \"r\"\ncalls = [\"raed\"]\n"})),
            "p.toml:9: unknown system call raed");
}

TEST(SeccompProfile, RefusesWhatIsMissingOrMisspelt) {
  EXPECT_EQ(problem(with({"[[allow]]\nid = \"x\"\ncalls = [\"read\"]\n"})), "p.toml:6: reason must be given, as text");
  EXPECT_EQ(problem(with({"[[allow]]\nid = \"x\"\nreason = \"r\"\ncalls = [\"read\"]\nobserved = true\n"})),
            "p.toml:10: unknown key observed");
  EXPECT_EQ(problem(with({"[[alow]]\nid = \"x\"\n"})), "p.toml:6: unknown key alow");
  EXPECT_EQ(problem(with({"[[refuse]]\nid = \"x\"\nreason = \"r\"\ngrant = \"g\"\nerrno = \"EPERMM\"\nobserve = true\n"
                          "calls = [\"read\"]\n"})),
            "p.toml:6: errno EPERMM is not one this compiler knows");
  EXPECT_EQ(problem(with({"[[refuse]]\nid = \"x\"\nreason = \"r\"\ngrant = \"g\"\nerrno = \"EPERM\"\n"
                          "calls = [\"read\"]\n"})),
            "p.toml:6: observe must be true or false");
  EXPECT_EQ(problem(with({"[constants]\nUNUSED = 1\n", kAllowReadWrite, kRefuseOpen})),
            "p.toml:7: constant UNUSED is never used");
  EXPECT_EQ(problem(with({kAllowReadWrite, kAllowReadWrite})), "p.toml:10: rule id io is used twice");
}

TEST(SeccompProfile, RefusesTextThatIsNotToml) {
  EXPECT_TRUE(problem("name = ").starts_with("p.toml:1: "));
  EXPECT_TRUE(problem("").starts_with("p.toml:")) << problem("");
  EXPECT_TRUE(problem("[=]").starts_with("p.toml:1: "));
  EXPECT_EQ(problem("# \n# \xef\xbb\xbb"), "p.toml:2: a profile is plain ASCII");
}

TEST(SeccompProfile, RefusesToLetForeignCallsLive) {
  std::string text = with({kAllowReadWrite, kRefuseOpen});
  text.replace(text.find("kill_process"), 12, "allow");
  EXPECT_EQ(problem(text), "p.toml:3: action must be \"kill_process\"");
}

TEST(SeccompProfile, RefusesTestsThatCanNeverMatch) {
  EXPECT_EQ(problem(open_when({"{ arg = 6, type = \"u32\", in = [1] }"})), "p.toml:22: arg must be 0 to 5");
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"i8\", in = [1] }"})),
            "p.toml:22: type must be \"u16\", \"u32\" or \"u64\"");
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u16\", in = [0x10000] }"})),
            "p.toml:22: 0x10000 does not fit into 16 bits");
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", mask = 6, in = [1] }"})),
            "p.toml:22: 0x1 has bits outside the mask and can never match");
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", in = [1, 1] }"})), "p.toml:22: 0x1 is listed twice");
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", in = [\"O_WRONLY\"] }"})),
            "p.toml:22: unknown constant O_WRONLY");
  const std::string needs = "p.toml:22: a test needs in = […], or at_least and at_most that leave something to match";
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", at_least = 5, at_most = 4 }"})), needs);
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\" }"})), needs);
}

TEST(SeccompProfile, RefusesCasesThatTheSameArgumentsCouldMatch) {
  const std::string overlap = "p.toml:24: the same arguments could match this case and the one at line 20";
  EXPECT_EQ(
      problem(open_when({"{ arg = 0, type = \"u32\", in = [1, 2] }", "{ arg = 0, type = \"u32\", in = [2, 3] }"})),
      overlap);
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", in = [1] }", "{ arg = 1, type = \"u32\", in = [3] }"})),
            overlap)
      << "different arguments: both can hold at once";
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", mask = 1, in = [1] }",
                               "{ arg = 0, type = \"u32\", mask = 2, in = [2] }"})),
            overlap);
  EXPECT_EQ(
      problem(open_when({"{ arg = 0, type = \"u32\", at_least = 5 }", "{ arg = 0, type = \"u32\", at_most = 5 }"})),
      overlap);
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", mask = 1, in = [1] }",
                               "{ arg = 0, type = \"u32\", at_least = 8, at_most = 9 }"})),
            overlap);
}

TEST(SeccompProfile, AcceptsCasesThatAreApart) {
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", in = [1] }", "{ arg = 0, type = \"u32\", in = [2] }"})), "");
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", in = [1] }, { arg = 1, type = \"u32\", in = [1] }",
                               "{ arg = 0, type = \"u32\", in = [1] }, { arg = 1, type = \"u32\", in = [2] }"})),
            "");
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", mask = 3, in = [1] }",
                               "{ arg = 0, type = \"u32\", mask = 1, in = [0] }"})),
            "");
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", mask = 1, in = [1] }",
                               "{ arg = 0, type = \"u32\", at_least = 8, at_most = 8 }"})),
            "");
}

TEST(SeccompProfile, RefusesTwoWidthsOfOneArgument) {
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", in = [1] }", "{ arg = 0, type = \"u64\", in = [2] }"})),
            "p.toml:24: argument 0 has another width elsewhere");
  EXPECT_EQ(problem(open_when({"{ arg = 0, type = \"u32\", in = [1] }, { arg = 0, type = \"u32\", in = [2] }"})),
            "p.toml:20: argument 0 is tested twice in one case");
}

// The overlap check is exact: over 8-bit values, trying each one gives the same answer.
TEST(SeccompProfile, FindsOverlapExactly) {
  std::mt19937_64 random(1);
  int meeting = 0;
  constexpr int kRounds = 5000;
  for (int round = 0; round < kRounds; ++round) {
    const auto make = [&] {
      ArgumentTest test{.bits = 64, .mask = ~0ULL, .high = 255};
      if (random() % 2 == 0) {
        test.low = random() % 256;
        test.high = test.low + random() % (256 - test.low);
        return test;
      }
      // High bits pinned to zero keep the whole search within 8 bits.
      test.mask = (random() & random() & 0xff) | ~0xffULL;
      test.values = {random() & test.mask & 0xff, random() & test.mask & 0xff};
      return test;
    };
    const ArgumentTest left = make();
    const ArgumentTest right = make();
    bool meets = false;
    for (std::uint64_t value = 0; value < 256; ++value) {
      meets = meets || (test_holds(left, value) && test_holds(right, value));
    }
    ASSERT_EQ(tests_overlap(left, right), meets) << round;
    meeting += meets ? 1 : 0;
  }
  EXPECT_GT(meeting, kRounds / 10);
  EXPECT_LT(meeting, kRounds * 9 / 10);
}

TEST(SyscallTableReader, RefusesTablesThatAreNotInOrder) {
  const auto message = [](std::string_view text) {
    const auto table = read_syscall_table(text, "t.tsv");
    return table ? std::string("accepted") : table.error().message;
  };
  EXPECT_EQ(message("0\tread\n1\twrite"), "accepted");
  EXPECT_EQ(message(""), "t.tsv:1: no system calls");
  EXPECT_EQ(message("0\tread\n0\twrite\n"), "t.tsv:2: numbers must ascend");
  EXPECT_EQ(message("0\tread\n1\tread\n"), "t.tsv:2: read appears twice");
  EXPECT_EQ(message("0 read\n"), "t.tsv:1: expected number, tab, name");
  EXPECT_EQ(message("x\tread\n"), "t.tsv:1: not a system call number");
  EXPECT_EQ(message("99999999\tread\n"), "t.tsv:1: not a system call number");
  EXPECT_EQ(message("1\tre ad\n"), "t.tsv:1: not a system call name");
}

}  // namespace
}  // namespace glovebox::seccomp_compiler
