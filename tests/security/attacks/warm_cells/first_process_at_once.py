# attack: looks at the first process before it may have closed the door through which the program came in
# expect: outcome=ok
# expect-stdout: BLOCKED
# runs: 3
import os

NAMES = ("mem", "environ", "maps", "auxv", "ns/mnt", "ns/user", "fd/0", "root/etc", "cwd/.", "exe", "stack", "io")
opened = []
for _ in range(200):
    for name in NAMES:
        try:
            opened.append((name, os.open("/proc/1/" + name, os.O_RDONLY)))
        except OSError:
            pass
from attack import finish, syscall  # noqa: E402  (loading it takes time)

pidfd = syscall(434, 1, 0)[0]
stolen = syscall(438, pidfd, 0, 0)[0] if pidfd >= 0 else -1
if opened or stolen >= 0:
    finish("ESCAPED", f"{opened} {stolen}")
finish("BLOCKED", "the door was shut")
