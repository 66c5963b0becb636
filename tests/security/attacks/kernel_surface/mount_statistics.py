# attack: reads the mounts of the host with a new call
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno

from attack import refused

STATMOUNT = 457
refused(STATMOUNT, bytes(32), bytes(512), 512, 0, accepted=(errno.EPERM, errno.ENOSYS))
