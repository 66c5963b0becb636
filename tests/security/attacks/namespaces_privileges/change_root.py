# attack: changes its root, the first step of the classic way out of one
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: chroot
from attack import refused

CHROOT = 161
refused(CHROOT, b"/work\0")
