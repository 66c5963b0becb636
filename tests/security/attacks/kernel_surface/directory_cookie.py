# attack: uses a profiling call that few have ever tested
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno

from attack import refused

LOOKUP_DCOOKIE = 212
refused(LOOKUP_DCOOKIE, 0, 0, 0, accepted=(errno.EPERM, errno.ENOSYS))
