# attack: makes the read-only root writable
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: mount(
from attack import refused

MOUNT, MS_REMOUNT_BIND = 165, 32 | 4096
refused(MOUNT, 0, b"/usr\0", 0, MS_REMOUNT_BIND, 0)
