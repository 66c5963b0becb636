# attack: finds a mount on which setuid programs or devices would work
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

for path in ("/", "/usr", "/etc", "/proc", "/glovebox", "/work", "/tmp", "/dev/shm"):
    flags = os.statvfs(path).f_flag
    if not flags & os.ST_NOSUID:
        finish("ESCAPED", f"setuid programs work in {path}")
    if path in ("/work", "/tmp", "/dev/shm") and not flags & os.ST_NODEV:
        finish("ESCAPED", f"devices work in {path}")
    if path in ("/", "/usr", "/etc", "/glovebox") and not flags & os.ST_RDONLY:
        finish("ESCAPED", f"{path} is writable")
finish("BLOCKED")
