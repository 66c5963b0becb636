# attack: a device node among the artifacts
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: mknod
# artifacts: *.bin
# expect-artifacts: none
import os
import stat

try:
    os.mknod("evil.bin", 0o600 | stat.S_IFCHR, os.makedev(1, 5))
    print("ESCAPED")
except PermissionError:
    print("BLOCKED")
