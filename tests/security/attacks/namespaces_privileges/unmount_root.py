# attack: unmounts its root
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: umount2
from attack import refused

UMOUNT2, MNT_DETACH = 166, 2
refused(UMOUNT2, b"/\0", MNT_DETACH)
