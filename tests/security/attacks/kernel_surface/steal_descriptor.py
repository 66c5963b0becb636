# attack: takes a descriptor out of the cell's process 1
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: pidfd_getfd(
from attack import refused

PIDFD_GETFD = 438
refused(PIDFD_GETFD, 0, 0, 0)
