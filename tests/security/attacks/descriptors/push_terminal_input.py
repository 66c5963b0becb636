# attack: types a command into the terminal behind stdin
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: ioctl(TIOCSTI
from attack import refused

IOCTL, TIOCSTI = 16, 0x5412
refused(IOCTL, 0, TIOCSTI, b"x")
