# attack: moves into a network namespace
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: unshare(
from attack import refused

UNSHARE, FLAG = 272, 0x40000000
refused(UNSHARE, FLAG)
