# attack: moves the cell's process 1 to another memory node
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno

from attack import refused

MIGRATE_PAGES = 256
refused(MIGRATE_PAGES, 1, 0, 0, 0, accepted=(errno.EPERM, errno.ENOSYS, errno.ESRCH))
