// attack: installs a filter with a listener, to answer calls before the supervisor sees them
// expect: outcome=ok
// expect-stdout: BLOCKED
// forbid-stdout: ESCAPED
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "attack.h"

int main(void) {
  struct sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  struct sock_fprog program = {1, allow};
  judge(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program), EPERM, EBUSY);
}
