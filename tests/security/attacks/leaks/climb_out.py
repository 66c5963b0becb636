# attack: climbs out of the root with .. and through links of processes
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

own = os.stat("/")
for path in ("/..", "/work/../../../..", "/proc/self/root/..", "/proc/self/cwd/../..", f"/proc/{os.getppid()}/root/.."):
    try:
        seen = os.stat(path)
    except OSError:
        continue
    if (seen.st_dev, seen.st_ino) != (own.st_dev, own.st_ino):
        finish("ESCAPED", path)
finish("BLOCKED")
