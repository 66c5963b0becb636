# attack: moves into a mount namespace
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: unshare(
from attack import refused

UNSHARE, FLAG = 272, 0x00020000
refused(UNSHARE, FLAG)
