# attack: mounts a fresh /proc without masks
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: mount(
from attack import refused

MOUNT = 165
refused(MOUNT, b"proc\0", b"/tmp\0", b"proc\0", 0, 0)
