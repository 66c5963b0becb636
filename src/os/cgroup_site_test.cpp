#include "os/cgroup_site.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/cleanup.h"
#include "base/temporary_directory.h"
#include "os/files.h"

namespace glovebox::os {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SiteTest : public testing::Test {
 protected:
  // A directory that this user may write stands for a group.
  [[nodiscard]] ControllerPlace v1(const std::string& name) const {
    fs::create_directories(directory_ + "/" + name);
    return {1, directory_ + "/" + name};
  }

  base::TemporaryDirectory temporary_{"site"};
  const std::string directory_ = temporary_.path();
};

TEST_F(SiteTest, AHostWithoutAUnifiedTreeHasToCountCpuTimeElsewhere) {
  CgroupLayout layout;
  layout.memory = v1("memory");
  layout.pids = v1("pids");
  layout.cpu = v1("cpu");
  const CgroupSite without = find_cgroup_site(layout, ScopePolicy::stay);
  EXPECT_FALSE(without.complete());
  EXPECT_THAT(without.missing, testing::ElementsAre("cpuacct"));
  EXPECT_THAT(without.reason, HasSubstr("cpuacct"));
  layout.cpuacct = v1("cpuacct");
  const CgroupSite with = find_cgroup_site(layout, ScopePolicy::stay);
  EXPECT_TRUE(with.complete());
  EXPECT_EQ(with.cpuacct, directory_ + "/cpuacct");
}

// A cgroup2 tree with all controllers in which nothing is delegated to us.
CgroupLayout undelegated() {
  CgroupLayout layout;
  layout.unified = ControllerPlace{2, "/nonexistent/group"};
  layout.memory = layout.pids = layout.cpu = layout.unified;
  layout.unified_mount = "/nonexistent";
  return layout;
}

// Stands in for busctl, and notes that it was asked.
class BusTest : public SiteTest {
 protected:
  BusTest() {
    const std::string tool = directory_ + "/busctl";
    std::ofstream(tool) << "#!/bin/sh\necho asked > '" << asked() << "'\nexit 1\n";
    ::chmod(tool.c_str(), 0755);
    ::setenv("PATH", (directory_ + ":" + old_path_).c_str(), 1);
    for (const char* name : {"DBUS_SYSTEM_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"}) {
      ::unsetenv(name);
    }
  }
  ~BusTest() override { ::setenv("PATH", old_path_.c_str(), 1); }
  [[nodiscard]] std::string asked() const { return directory_ + "/asked"; }

  const std::string old_path_ = ::getenv("PATH");
};

TEST_F(BusTest, AsksSystemdForADelegatedScopeBeforeItGivesUp) {
  ::setenv(::geteuid() == 0 ? "DBUS_SYSTEM_BUS_ADDRESS" : "DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", 1);
  const CgroupSite site = find_cgroup_site(undelegated(), ScopePolicy::ask_systemd);
  EXPECT_TRUE(path_exists(asked()));
  EXPECT_FALSE(site.complete());
  EXPECT_THAT(site.reason, HasSubstr("no systemd manager granted"));
}

TEST_F(BusTest, AsksNobodyWhereThereIsNoBus) {
  if (::geteuid() == 0 && path_exists("/run/dbus/system_bus_socket")) {
    GTEST_SKIP() << "this host has a system bus";
  }
  const CgroupSite site = find_cgroup_site(undelegated(), ScopePolicy::ask_systemd);
  EXPECT_FALSE(path_exists(asked()));
  EXPECT_THAT(site.reason, HasSubstr("no bus"));
}

TEST(RealSite, ALeafThatWasOfNoUseIsLeftAndRemoved) {
  const auto real = find_cgroup_layout();
  ASSERT_TRUE(real);
  if (::geteuid() != 0 || !real->unified) {
    GTEST_SKIP() << "needs root and a cgroup2 tree";
  }
  const std::string before = real->unified->directory;
  const std::string group = before + "/glovebox-site-test-" + std::to_string(::getpid());
  if (::mkdir(group.c_str(), 0755) != 0) {
    GTEST_SKIP() << "needs a cgroup2 tree that it may write";
  }
  const auto enter = [](const std::string& place) {
    return write_file_at(AT_FDCWD, (place + "/cgroup.procs").c_str(), "0").has_value();
  };
  const base::Cleanup back([&] {
    enter(before);
    (void)remove_group(group);
  });
  ASSERT_TRUE(enter(group));
  // A controller that this group does not have cannot be handed out, as if others shared the group.
  if (read_file(group + "/cgroup.controllers").value_or("").find("memory") != std::string::npos) {
    GTEST_SKIP() << "needs a group without the memory controller";
  }
  CgroupLayout layout;
  layout.unified = ControllerPlace{2, group};
  layout.memory = layout.unified;
  layout.unified_mount = real->unified_mount;
  const CgroupSite site = find_cgroup_site(layout, ScopePolicy::stay);
  EXPECT_TRUE(site.unified.empty());
  EXPECT_THAT(site.reason, HasSubstr("cannot hand out controllers"));
  EXPECT_TRUE(list_directories(group).empty()) << "the leaf is gone";
  EXPECT_EQ(find_cgroup_layout()->unified->directory, group) << "we are back";
}

}  // namespace
}  // namespace glovebox::os
