# attack: mounts a file system over its own directory
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: mount(
from attack import refused

MOUNT = 165
refused(MOUNT, b"none\0", b"/work\0", b"tmpfs\0", 0, 0)
