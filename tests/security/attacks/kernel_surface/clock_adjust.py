# attack: slews a clock of the host with the newer call
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno

from attack import refused

CLOCK_ADJTIME = 305
refused(CLOCK_ADJTIME, 0, b'\x00\x40' + bytes(254), accepted=(errno.EPERM, errno.ENOSYS))
