#include "engine/launcher/cell_spec.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>

namespace glovebox::engine {
namespace {

CellSpec example() {
  CellSpec spec;
  spec.host_uid = 0x70000001;
  spec.host_gid = 0x70000001;
  spec.hostname = "glovebox";
  spec.directory = "/work";
  spec.root = {{RootEntry::Kind::bind_directory, "usr", "/usr"},
               {RootEntry::Kind::file, "etc/passwd", "root:x:0:0::/:/bin/false\n"},
               {RootEntry::Kind::scratch, "work", "work"},
               {RootEntry::Kind::proc, "proc", ""}};
  spec.scratch_bytes = 64U << 20U;
  spec.scratch_inodes = 8192;
  spec.scratch_parts = {"work", "tmp"};
  spec.blob_targets = {"work/data/big.bin"};
  spec.rlimits = {{RLIMIT_CORE, 1}, {RLIMIT_NOFILE, UINT64_MAX}};
  spec.argv = {"/usr/bin/python3", "/glovebox/main.py", "", "ü"};
  spec.env = {"PATH=/usr/bin"};
  spec.seccomp = "default";
  spec.landlock_abi = 4;
  spec.task_fds = 3;
  spec.into_cgroup = true;
  spec.deterministic = true;
  return spec;
}

bool accepted(const CellSpec& spec) { return decode_cell_spec(encode_cell_spec(spec).value()).has_value(); }

TEST(CellSpec, ComesBackEqualFromItsEncoding) {
  const CellSpec spec = example();
  const auto decoded = decode_cell_spec(encode_cell_spec(spec).value());
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, spec);
}

TEST(CellSpec, RefusesEveryShorterMessage) {
  const std::string bytes = encode_cell_spec(example()).value();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_cell_spec(std::string_view(bytes).substr(0, length))) << length;
  }
}

TEST(CellSpec, RefusesBytesAfterTheEnd) { EXPECT_FALSE(decode_cell_spec(encode_cell_spec(example()).value() + '\0')); }

TEST(CellSpec, RefusesAMessageOfAnotherVersion) {
  std::string bytes = encode_cell_spec(example()).value();
  bytes[0] = static_cast<char>(bytes[0] + 1);
  EXPECT_FALSE(decode_cell_spec(bytes));
}

TEST(CellSpec, RefusesALengthThatReachesPastTheMessage) {
  // The length of the host name follows the magic number, the role, four ids and the number of ids.
  constexpr std::size_t kHostnameLength = 7 * sizeof(std::uint64_t);
  for (const std::uint64_t length : {std::uint64_t{100'000}, UINT64_MAX, UINT64_MAX - 7}) {
    std::string bytes = encode_cell_spec(example()).value();
    std::memcpy(bytes.data() + kHostnameLength, &length, sizeof(length));
    EXPECT_FALSE(decode_cell_spec(bytes)) << length;
  }
}

TEST(CellSpec, EveryRoleComesBackAndNeedsACommandExactlyIfItExecutesOne) {
  for (const CellRole role :
       {CellRole::program, CellRole::started, CellRole::adopting, CellRole::zygote, CellRole::nursery}) {
    CellSpec spec = example();
    spec.role = role;
    EXPECT_EQ(accepted(spec), executes(role));
    spec.argv.clear();
    EXPECT_EQ(accepted(spec), !executes(role));
  }
}

TEST(CellSpec, OnlyANurseryMapsMoreThanOneUser) {
  CellSpec spec = example();
  spec.id_count = 2;
  EXPECT_FALSE(accepted(spec));
  spec.role = CellRole::nursery;
  spec.argv.clear();
  EXPECT_TRUE(accepted(spec));
  spec.id_count = 0;
  EXPECT_FALSE(accepted(spec));
}

TEST(CellSpec, RefusesTextThatWouldEndEarlyAsACString) {
  CellSpec spec = example();
  spec.argv.push_back(std::string("a\0b", 3));
  EXPECT_FALSE(accepted(spec));
}

TEST(CellSpec, RefusesTargetsThatCouldLeaveTheRoot) {
  for (const char* target : {"", "/usr", "..", "../usr", "a/..", "a/../b", "a/b/../.."}) {
    CellSpec in_root = example();
    in_root.root[0].target = target;
    EXPECT_FALSE(accepted(in_root)) << target;
    CellSpec in_blobs = example();
    in_blobs.blob_targets[0] = target;
    EXPECT_FALSE(accepted(in_blobs)) << target;
    CellSpec in_parts = example();
    in_parts.scratch_parts[0] = target;
    EXPECT_FALSE(accepted(in_parts)) << target;
  }
  CellSpec harmless = example();
  harmless.root[0].target = "a..b/..c/d..";
  EXPECT_TRUE(accepted(harmless)) << "dots inside of a name are only dots";
}

TEST(CellSpec, RefusesAnUnknownKindOfRootEntry) {
  CellSpec spec = example();
  spec.root[0].kind = static_cast<RootEntry::Kind>(static_cast<std::uint32_t>(RootEntry::Kind::sealed_support) + 1);
  EXPECT_FALSE(accepted(spec));
}

TEST(CellSpec, NeverMakesACellOfRoot) {
  CellSpec as_root = example();
  as_root.uid = 0;
  EXPECT_FALSE(accepted(as_root));
  CellSpec as_root_group = example();
  as_root_group.gid = 0;
  EXPECT_FALSE(accepted(as_root_group));
  CellSpec unmapped = example();
  unmapped.host_uid = UINT32_MAX;
  EXPECT_FALSE(accepted(unmapped)) << "-1 means \"do not change\" to the kernel";
}

TEST(CellSpec, RefusesACellWithNothingToRunOrNowhereToStart) {
  CellSpec no_program = example();
  no_program.argv.clear();
  EXPECT_FALSE(accepted(no_program));
  CellSpec relative = example();
  relative.directory = "work";
  EXPECT_FALSE(accepted(relative));
  CellSpec nowhere = example();
  nowhere.directory.clear();
  EXPECT_FALSE(accepted(nowhere));
}

TEST(CellSpec, BoundsItsLists) {
  CellSpec most = example();
  most.env.assign(4096, "");
  EXPECT_TRUE(accepted(most));
  CellSpec more = example();
  more.env.assign(4097, "");
  EXPECT_FALSE(accepted(more));
}

TEST(CellSpec, ArgumentsThatAreTooLargeForAMessageAreTheCallersFault) {
  CellSpec spec = example();
  spec.argv.push_back(std::string(kMaxSpecBytes, 'x'));
  const auto refused = encode_cell_spec(spec);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::invalid_request);
  EXPECT_FALSE(refused.error().hint.empty());
}

}  // namespace
}  // namespace glovebox::engine
