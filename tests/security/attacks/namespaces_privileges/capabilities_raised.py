# attack: gives itself every capability
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import struct

from attack import refused

CAPSET, VERSION_3 = 126, 0x20080522
everything = struct.pack("6I", *[0xFFFFFFFF] * 3, *[0x1FF] * 3)
refused(CAPSET, struct.pack("Ii", VERSION_3, 0), everything)
