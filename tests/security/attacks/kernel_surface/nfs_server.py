# attack: talks to the kernel's file server
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno

from attack import refused

NFSSERVCTL = 180
refused(NFSSERVCTL, 0, 0, 0, accepted=(errno.EPERM, errno.ENOSYS))
