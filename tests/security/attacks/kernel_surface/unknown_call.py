# attack: a call that does not exist must look as on an older kernel
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno

from attack import refused

UNKNOWN = 1000
refused(UNKNOWN, 0, accepted=(errno.ENOSYS,))
