# attack: enters the namespaces of the cell's process 1 through a pidfd
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: setns
from attack import refused, syscall

SETNS, PIDFD_OPEN, EVERY = 308, 434, 0x7E020000
descriptor, _ = syscall(PIDFD_OPEN, 1, 0)
refused(SETNS, max(descriptor, 0), EVERY)
