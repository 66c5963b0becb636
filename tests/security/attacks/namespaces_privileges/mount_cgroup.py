# attack: mounts the cgroup tree to write its own limits
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: mount(
from attack import refused

MOUNT = 165
refused(MOUNT, b"none\0", b"/tmp\0", b"cgroup2\0", 0, 0)
