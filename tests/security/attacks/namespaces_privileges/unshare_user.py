# attack: moves into a user namespace, in which it would hold every capability
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: unshare(
from attack import refused

UNSHARE, FLAG = 272, 0x10000000
refused(UNSHARE, FLAG)
