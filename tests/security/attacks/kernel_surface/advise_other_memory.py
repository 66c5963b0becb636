# attack: drops the memory of the cell's process 1
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno

from attack import refused

PROCESS_MADVISE = 440
refused(PROCESS_MADVISE, 0, bytes(16), 1, 21, 0, accepted=(errno.EPERM, errno.ENOSYS, errno.EBADF))
