// Kernel constants newer than the headers of Debian 12 (Linux 6.1), each used only behind a probe at run time.
#pragma once

#include <linux/landlock.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <cstdint>

namespace glovebox::os {

// Landlock, by the ABI version that brought them.
inline constexpr std::uint64_t kLandlockFsRefer = 1ULL << 13U;     // 2
inline constexpr std::uint64_t kLandlockFsTruncate = 1ULL << 14U;  // 3
inline constexpr std::uint64_t kLandlockFsIoctlDev = 1ULL << 15U;  // 5
inline constexpr std::uint64_t kLandlockNetBindTcp = 1ULL << 0U;   // 4
inline constexpr std::uint64_t kLandlockNetConnectTcp = 1ULL << 1U;
inline constexpr std::uint64_t kLandlockScopeAbstractUnix = 1ULL << 0U;  // 6
inline constexpr std::uint64_t kLandlockScopeSignal = 1ULL << 1U;
// Since ABI 7: what is refused is not written to the host's audit log.
inline constexpr unsigned kLandlockLogSameExecOff = 1U << 0U;
inline constexpr unsigned kLandlockLogSubdomainsOff = 1U << 2U;

// The kernel takes a size, so older kernels accept the prefix that they know.
struct LandlockRulesetAttr {
  std::uint64_t handled_access_fs = 0;
  std::uint64_t handled_access_net = 0;
  std::uint64_t scoped = 0;
};

inline constexpr std::uint32_t kSeccompWaitKillable = 1U << 5U;  // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, 5.19

}  // namespace glovebox::os
