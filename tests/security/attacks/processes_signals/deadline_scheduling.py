# attack: asks for deadline scheduling through the raw call
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno
import struct

from attack import refused

SCHED_SETATTR, SCHED_DEADLINE = 314, 6
attributes = struct.pack("IIQiIQQQ", 48, SCHED_DEADLINE, 0, 0, 0, 900_000, 1_000_000, 1_000_000)
refused(SCHED_SETATTR, 0, attributes, 0, accepted=(errno.EPERM, errno.ENOSYS))
