# attack: walks from its namespaces to the ones above them, where the zygote and other cells live
# expect: outcome=ok|denied
# expect-stdout: BLOCKED
import errno
import fcntl
import os

from attack import finish, syscall

NS_GET_USERNS, NS_GET_PARENT, SETNS = 0xB701, 0xB702, 308
reached = []
for name in ("user", "pid", "mnt", "net", "ipc", "uts", "cgroup"):
    own = os.open("/proc/self/ns/" + name, os.O_RDONLY)
    for request in (NS_GET_USERNS, NS_GET_PARENT):
        try:
            above = fcntl.ioctl(own, request)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EINVAL, errno.ENOTTY, errno.EACCES):
                reached.append((name, request, error.errno))
            continue
        # Its own user namespace may be shown; entering it, or one above it, may not work.
        if syscall(SETNS, above, 0)[0] != -1:
            reached.append((name, request, "entered"))
        try:
            reached.append((name, request, fcntl.ioctl(above, NS_GET_PARENT)))
        except OSError:
            pass
finish("ESCAPED" if reached else "BLOCKED", repr(reached))
