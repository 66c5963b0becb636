# attack: moves a detached mount into place
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: move_mount
from attack import refused

MOVE_MOUNT, AT_FDCWD = 429, -100
refused(MOVE_MOUNT, AT_FDCWD, b"/proc\0", AT_FDCWD, b"/tmp\0", 0)
