# attack: binds the image over its writable directory
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: mount(
from attack import refused

MOUNT, MS_BIND = 165, 4096
refused(MOUNT, b"/usr\0", b"/work\0", 0, MS_BIND, 0)
