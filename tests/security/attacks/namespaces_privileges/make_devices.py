# attack: makes device nodes to reach disks and memory
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: mknod
import os
import stat

from attack import finish

for kind, major, minor in ((stat.S_IFCHR, 1, 1), (stat.S_IFBLK, 8, 0), (stat.S_IFBLK, 254, 0), (stat.S_IFCHR, 10, 232)):
    try:
        os.mknod("/work/device", 0o600 | kind, os.makedev(major, minor))
    except OSError:
        continue
    finish("ESCAPED", f"device {major}:{minor}")
finish("BLOCKED")
