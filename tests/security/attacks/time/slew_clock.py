# attack: slows the clock of the host down
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import ctypes
import errno
import struct

from attack import refused

ADJTIMEX, ADJ_TICK = 159, 0x4000
timex = ctypes.create_string_buffer(struct.pack("I", ADJ_TICK), 256)
struct.pack_into("q", timex, 88, 9_000)
refused(ADJTIMEX, timex, accepted=(errno.EPERM, errno.ENOSYS))
