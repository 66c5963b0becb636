# attack: pastes into a Linux console through TIOCLINUX
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import refused

IOCTL, TIOCLINUX = 16, 0x541C
refused(IOCTL, 0, TIOCLINUX, b"\x02\x00")
