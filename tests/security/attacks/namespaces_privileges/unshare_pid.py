# attack: moves into a process namespace
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: unshare(
from attack import refused

UNSHARE, FLAG = 272, 0x20000000
refused(UNSHARE, FLAG)
