# attack: lists the mounts of the host with a new call
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno

from attack import refused

LISTMOUNT = 458
refused(LISTMOUNT, bytes(32), bytes(512), 64, 0, accepted=(errno.EPERM, errno.ENOSYS))
