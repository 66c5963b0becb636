# attack: moves a mount away from what it hides
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: mount(
from attack import refused

MOUNT, MS_MOVE = 165, 8192
refused(MOUNT, b"/proc\0", b"/tmp\0", 0, MS_MOVE, 0)
