#include "os/syscall_table.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

namespace glovebox::os {
namespace {

TEST(SyscallTable, AgreesWithTheKernelHeaders) {
  EXPECT_EQ(syscall_number("read"), SYS_read);
  EXPECT_EQ(syscall_number("newfstatat"), SYS_newfstatat);
  EXPECT_EQ(syscall_number("pidfd_send_signal"), SYS_pidfd_send_signal);
  EXPECT_EQ(syscall_number("clone3"), SYS_clone3);
  EXPECT_EQ(syscall_number("landlock_create_ruleset"), SYS_landlock_create_ruleset);
  EXPECT_EQ(syscall_name(SYS_io_uring_setup), "io_uring_setup");
  EXPECT_EQ(syscall_name(SYS_rseq), "rseq");
}

TEST(SyscallTable, KnowsCallsThatAreNewerThanTheHeaders) {
  EXPECT_EQ(syscall_number("cachestat"), 451);
  EXPECT_EQ(syscall_number("mseal"), 462);
  EXPECT_EQ(syscall_number("file_setattr"), 469);
}

TEST(SyscallTable, HasNothingForGapsAndUnknownNames) {
  EXPECT_EQ(syscall_name(-1), "");
  EXPECT_EQ(syscall_name(400), "");
  EXPECT_EQ(syscall_name(470), "");
  EXPECT_EQ(syscall_number("socketcall"), std::nullopt);
  EXPECT_EQ(syscall_number(""), std::nullopt);
}

TEST(SyscallTable, TranslatesEveryEntryBothWays) {
  ASSERT_GT(all_syscalls().size(), 380U);
  for (const SyscallEntry& entry : all_syscalls()) {
    EXPECT_EQ(syscall_name(entry.number), entry.name);
    EXPECT_EQ(syscall_number(entry.name), entry.number);
  }
}

}  // namespace
}  // namespace glovebox::os
