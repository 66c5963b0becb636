# attack: asks the kernel in every way for processes beside its own: other cells, the zygote, the nursery
# expect: outcome=ok
# expect-stdout: BLOCKED
import os

from attack import finish, syscall

mine = {1, os.getpid()}
GETPGID, GETSID, SCHED_GETSCHEDULER, KILL, PIDFD_OPEN, GETPRIORITY = 121, 124, 145, 62, 434, 140
seen = {int(name) for name in os.listdir("/proc") if name.isdigit()}
for number in range(1, 4096):
    for call, arguments in (
        (GETPGID, (number,)),
        (GETSID, (number,)),
        (SCHED_GETSCHEDULER, (number,)),
        (KILL, (number, 0)),
        (PIDFD_OPEN, (number, 0)),
    ):
        value, code = syscall(call, *arguments)
        if value != -1:
            seen.add(number)
            if call == PIDFD_OPEN:
                os.close(value)
# By group and by user, which could be shared with other cells.
groups = [number for number in range(2, 4096) if syscall(GETPRIORITY, 1, number)[0] != -1]
parents = {os.getppid(), os.getpgid(0), os.getsid(0)}
if seen - mine or set(groups) - mine or parents - mine:
    finish("ESCAPED", f"{seen} {groups} {parents}")
finish("BLOCKED", "nobody else is here")
