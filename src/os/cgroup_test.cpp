// With real control groups, below the own ones of this process.
#include "os/cgroup.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

namespace glovebox::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// As a cell's first process does it, then busy, and gone: in the end nobody is left whose times could be read.
void use_cpu_in(const CellCgroup& group, milliseconds time) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (const int tasks : group.task_fds()) {
      if (::write(tasks, "0", 1) != 1) {
        ::_exit(1);
      }
    }
    const auto until = steady_clock::now() + time;
    while (steady_clock::now() < until) {
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
}

TEST(CellCgroup, CountsCpuTimeOnAHostWithoutAUnifiedTree) {
  auto layout = find_cgroup_layout();
  ASSERT_TRUE(layout);
  layout->unified.reset();
  const CgroupSite site = find_cgroup_site(*layout, ScopePolicy::stay);
  if (site.cpuacct.empty()) {
    GTEST_SKIP() << "needs a cpuacct hierarchy of version 1 that this user may write";
  }
  auto group = CellCgroup::create(site, {64U << 20U, 10, 100});
  ASSERT_TRUE(group) << base::describe(group.error());
  ASSERT_LT(group->unified_fd(), 0);
  ASSERT_TRUE(group->usage().cpu_us) << "counted by the kernel";
  EXPECT_LT(*group->usage().cpu_us, 10'000U);
  use_cpu_in(*group, milliseconds(60));
  EXPECT_GT(*group->usage().cpu_us, 10'000U);
  group->mark();
  EXPECT_LT(*group->usage().cpu_us, 10'000U) << "from the mark on";
  EXPECT_TRUE(group->remove());
}

}  // namespace
}  // namespace glovebox::os
