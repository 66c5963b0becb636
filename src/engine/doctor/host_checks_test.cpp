#include "engine/doctor/host_checks.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace glovebox::engine {
namespace {

TEST(HostChecks, EveryWayToHaveNoKvmHasItsRemedy) {
  for (const int problem : {ENOENT, EACCES, ENODEV, ENXIO}) {
    const HostCheck check = judge_kvm({.open_errno = problem});
    EXPECT_EQ(check.status, CheckStatus::optional) << problem;
    EXPECT_NE(check.remedy, "") << problem;
  }
  for (const int problem : {EBUSY, EOPNOTSUPP, EINVAL}) {
    const HostCheck check = judge_kvm({.create_errno = problem});
    EXPECT_EQ(check.status, CheckStatus::optional) << problem;
    EXPECT_NE(check.remedy, "") << problem;
  }
  EXPECT_EQ(judge_kvm({.open_errno = EACCES}).remedy, "add the user to the group kvm");
}

TEST(HostChecks, AKvmThatWorksNeedsNone) {
  const HostCheck check = judge_kvm({.api_version = 12});
  EXPECT_EQ(check.status, CheckStatus::ok);
  EXPECT_EQ(check.remedy, "");
}

}  // namespace
}  // namespace glovebox::engine
