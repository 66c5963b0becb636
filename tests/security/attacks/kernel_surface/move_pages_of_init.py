# attack: moves the memory of the cell's process 1
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno

from attack import refused

MOVE_PAGES = 279
refused(MOVE_PAGES, 1, 0, 0, 0, 0, 0, accepted=(errno.EPERM, errno.ENOSYS, errno.ESRCH))
