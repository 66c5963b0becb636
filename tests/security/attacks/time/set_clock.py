# attack: sets the clock of the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: clock_settime
import struct

from attack import refused

CLOCK_SETTIME, CLOCK_REALTIME = 227, 0
refused(CLOCK_SETTIME, CLOCK_REALTIME, struct.pack("qq", 86_400, 0))
