#include "bench/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/resources.h"

namespace glovebox::bench {
namespace {

TEST(Machine, BusyTimeIsEverythingButIdleWaitingAndStolen) {
  //                          user nice system idle iowait irq softirq steal guest guest_nice
  constexpr const char* kStat = "cpu  100 10 50 9999 777 3 7 555 60 5\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
  EXPECT_EQ(busy_cpu_ms(kStat, 100), (100 + 10 + 50 + 3 + 7) * 10.0);
}

TEST(Machine, ATextThatIsNotProcStatIsNoTime) {
  EXPECT_EQ(busy_cpu_ms("", 100), 0);
  EXPECT_EQ(busy_cpu_ms("intr 5 6 7", 100), 0);
  EXPECT_EQ(busy_cpu_ms("cpu  5", 100), 50);
}

TEST(Machine, TheFactsOfThisOneAreThere) {
  const MachineFacts facts = machine_facts();
  EXPECT_GT(facts.cores, 0U);
  EXPECT_GT(facts.memory_bytes, 0U);
  EXPECT_THAT(facts.kernel, testing::StartsWith("Linux "));
  EXPECT_GT(busy_cpu_ms(), 0);
}

TEST(Resources, AChildIsADescendantAndItsMemoryCanBeRead) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto below = descendants(::getpid());
  EXPECT_THAT(below, testing::Contains(child));
  EXPECT_THAT(below, testing::Not(testing::Contains(::getpid())));
  const auto bytes = private_bytes({child});
  EXPECT_TRUE(bytes && *bytes > 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_THAT(descendants(::getpid()), testing::Not(testing::Contains(child)));
  EXPECT_EQ(private_bytes({child}), 0U);
}

TEST(Resources, ASampleCountsOpenDescriptors) {
  const auto before = sample_resources({});
  const int fd = ::dup(0);
  EXPECT_EQ(sample_resources({}).own_descriptors, before.own_descriptors + 1);
  ::close(fd);
  EXPECT_GT(before.own_bytes, 0U);
  EXPECT_GT(before.own_mounts, 0U);
}

}  // namespace
}  // namespace glovebox::bench
