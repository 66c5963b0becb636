# attack: the same request with bits set that the kernel drops and a careless filter compares
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: ioctl(TIOCSTI
from attack import refused

IOCTL, TIOCSTI = 16, 0x5412
refused(IOCTL, 0, TIOCSTI | 1 << 32, b"x")
