# attack: moves into an IPC namespace
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: unshare(
from attack import refused

UNSHARE, FLAG = 272, 0x08000000
refused(UNSHARE, FLAG)
