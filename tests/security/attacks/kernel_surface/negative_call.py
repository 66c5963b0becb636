# attack: a negative call number
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno

from attack import refused

NEGATIVE = -1
refused(NEGATIVE, 0, accepted=(errno.ENOSYS,))
