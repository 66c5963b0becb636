# attack: a call number beyond every table
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno

from attack import refused

UNKNOWN = 0x3FFFFFFF
refused(UNKNOWN, 0, accepted=(errno.ENOSYS,))
