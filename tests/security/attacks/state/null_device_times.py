# attack: leaves a message in the time stamps of the host's null device, through the standard input it was given
# expect: outcome=ok
# expect-stdout: BLOCKED
import os
import stat

from attack import finish

NULL_DEVICE = os.makedev(1, 3)
for target in (0, "/dev/null"):
    status = os.stat(target)
    if not stat.S_ISCHR(status.st_mode) or status.st_rdev != NULL_DEVICE:
        continue
    try:
        os.utime(target)
    except OSError:
        continue
    finish("ESCAPED", f"{target} took a new time stamp")
finish("BLOCKED")
