# attack: sets the clock of the host through the older call
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: settimeofday
import struct

from attack import refused

SETTIMEOFDAY = 164
refused(SETTIMEOFDAY, struct.pack("qq", 86_400, 0), 0)
