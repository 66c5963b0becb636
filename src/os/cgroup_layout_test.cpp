#include "os/cgroup_layout.h"

#include <gtest/gtest.h>

namespace glovebox::os {
namespace {

constexpr const char* kUnifiedOnly =
    "25 30 0:23 / /sys rw,nosuid - sysfs sysfs rw\n"
    "35 25 0:30 / /sys/fs/cgroup rw,nosuid,nodev shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

constexpr const char* kHybrid =
    "30 25 0:25 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "31 30 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "32 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "33 30 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
    "34 30 0:29 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
    "35 30 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

CgroupLayout layout_of(std::string_view mountinfo, std::string_view own, std::string controllers = "") {
  return parse_cgroup_layout(mountinfo, own, [&](const std::string&) { return controllers; });
}

TEST(CgroupLayout, FindsEveryControllerInOneUnifiedTree) {
  std::string asked;
  const auto layout = parse_cgroup_layout(kUnifiedOnly, "0::/user.slice/session-1.scope\n", [&](const std::string& at) {
    asked = at;
    return std::string("cpuset cpu io memory pids");
  });
  const ControllerPlace here{2, "/sys/fs/cgroup/user.slice/session-1.scope"};
  EXPECT_EQ(layout.memory, here);
  EXPECT_EQ(layout.pids, here);
  EXPECT_EQ(layout.cpu, here);
  EXPECT_EQ(layout.unified, here);
  EXPECT_EQ(layout.unified_mount, "/sys/fs/cgroup");
  EXPECT_EQ(layout.mode(), "v2");
  EXPECT_EQ(asked, here.directory);
}

TEST(CgroupLayout, TakesNoControllerThatTheUnifiedTreeDoesNotList) {
  const auto layout = layout_of(kUnifiedOnly, "0::/box\n", "memory cpuset");
  EXPECT_TRUE(layout.memory);
  EXPECT_FALSE(layout.pids);
  EXPECT_FALSE(layout.cpu) << "cpuset is not cpu";
}

TEST(CgroupLayout, FindsEachControllerOfAHybridHostInItsOwnTree) {
  const auto layout = layout_of(kHybrid, "5:memory:/a\n4:pids:/b\n3:cpu,cpuacct:/c\n1:name=systemd:/d\n0::/e\n");
  EXPECT_EQ(layout.memory, (ControllerPlace{1, "/sys/fs/cgroup/memory/a"}));
  EXPECT_EQ(layout.pids, (ControllerPlace{1, "/sys/fs/cgroup/pids/b"}));
  EXPECT_EQ(layout.cpu, (ControllerPlace{1, "/sys/fs/cgroup/cpu,cpuacct/c"}));
  EXPECT_EQ(layout.unified, (ControllerPlace{2, "/sys/fs/cgroup/unified/e"}));
  EXPECT_EQ(layout.mode(), "hybrid");
}

TEST(CgroupLayout, PrefersTheTreeThatReallyHoldsAController) {
  // A v1 controller cannot be in the unified tree at the same time; should both claim it, v1 has the limits.
  const auto layout = layout_of(kHybrid, "5:memory:/a\n0::/e\n", "memory pids");
  EXPECT_EQ(layout.memory->version, 1);
  EXPECT_EQ(layout.pids->version, 2);
}

TEST(CgroupLayout, CallsAHostWithoutAUnifiedTreeV1) {
  const auto layout = layout_of("32 30 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n", "5:memory:/\n");
  EXPECT_EQ(layout.memory, (ControllerPlace{1, "/cg/memory"})) << "no slash at the end";
  EXPECT_EQ(layout.mode(), "v1");
}

TEST(CgroupLayout, FindsWhereAHostWithoutAUnifiedTreeCountsCpuTime) {
  const auto layout = layout_of(
      "31 30 0:26 / /cg/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      "32 30 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n"
      "33 30 0:28 / /cg/pids rw - cgroup cgroup rw,pids\n",
      "5:memory:/a\n4:pids:/b\n3:cpu,cpuacct:/c\n");
  EXPECT_EQ(layout.cpuacct, (ControllerPlace{1, "/cg/cpu,cpuacct/c"}));
  EXPECT_EQ(layout.cpu, layout.cpuacct);
  EXPECT_EQ(layout.mode(), "v1");
}

TEST(CgroupLayout, CallsAHostWithoutControlGroupsNone) {
  EXPECT_EQ(layout_of("25 30 0:23 / /sys rw - sysfs sysfs rw\n", "0::/\n").mode(), "none");
  EXPECT_EQ(layout_of("", "").mode(), "none");
}

TEST(CgroupLayout, SubtractsTheRootOfAMountThatShowsAPartOfTheTree) {
  const auto mount = "35 25 0:30 /docker/ab /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(layout_of(mount, "0::/docker/ab/x\n").unified->directory, "/sys/fs/cgroup/x");
  EXPECT_EQ(layout_of(mount, "0::/docker/ab\n").unified->directory, "/sys/fs/cgroup");
}

TEST(CgroupLayout, DoesNotTakeAMountThatShowsAnotherPartOfTheTree) {
  const auto mount = "35 25 0:30 /docker/ab /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  EXPECT_FALSE(layout_of(mount, "0::/docker/other\n").unified);
  EXPECT_FALSE(layout_of(mount, "0::/docker/abc\n").unified) << "a sibling whose name begins alike";
}

TEST(CgroupLayout, LooksOnForAMountThatShowsUs) {
  const auto layout = layout_of(
      "35 25 0:30 /elsewhere /first rw - cgroup2 cgroup2 rw\n"
      "36 25 0:30 / /second rw - cgroup2 cgroup2 rw\n",
      "0::/box\n");
  EXPECT_EQ(layout.unified->directory, "/second/box");
  EXPECT_EQ(layout.unified_mount, "/second");
}

TEST(CgroupLayout, RefusesAGroupOutsideOfItsNamespace) {
  EXPECT_FALSE(layout_of(kUnifiedOnly, "0::/../other\n").unified);
}

TEST(CgroupLayout, UnderstandsEscapedMountPoints) {
  const auto layout = layout_of("35 25 0:30 / /my\\040groups\\134here rw - cgroup2 cgroup2 rw\n", "0::/a\n");
  EXPECT_EQ(layout.unified->directory, "/my groups\\here/a");
}

TEST(CgroupLayout, SkipsLinesThatMakeNoSense) {
  const auto layout = layout_of(std::string("nonsense\n1 2 3 - cgroup2\n - - -\n") + kUnifiedOnly,
                                "nonsense\n7\n0:\n::\n0::/box\n", "memory");
  EXPECT_EQ(layout.memory, (ControllerPlace{2, "/sys/fs/cgroup/box"}));
}

TEST(CgroupLayout, ReadsTheHostItRunsOn) {
  const auto layout = find_cgroup_layout();
  ASSERT_TRUE(layout);
  for (const auto& place : {layout->memory, layout->pids, layout->cpu, layout->unified}) {
    if (place) {
      EXPECT_TRUE(place->directory.starts_with("/")) << place->directory;
    }
  }
}

}  // namespace
}  // namespace glovebox::os
