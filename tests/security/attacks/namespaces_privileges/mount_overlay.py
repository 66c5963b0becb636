# attack: mounts an overlay, long a source of kernel bugs
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: mount(
from attack import refused

MOUNT = 165
refused(MOUNT, b"none\0", b"/tmp\0", b"overlay\0", 0, b"lowerdir=/usr,upperdir=/work,workdir=/tmp\0")
