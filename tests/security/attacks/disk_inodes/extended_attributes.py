# attack: stores data in extended attributes, which a size limit may forget
# expect: outcome=ok|memory_limit|disk_limit
# expect-degraded: outcome=ok|disk_limit
# forbid-stdout: ESCAPED
import os

from attack import finish

stored = 0
for file in range(4000):
    path = f"/work/{file}"
    try:
        open(path, "w").close()
        for number in range(4):
            os.setxattr(path, f"user.{number}", b"x" * 60_000)
            stored += 60_000
    except OSError as error:
        finish("BLOCKED", f"{error} after {stored} bytes")
    if stored > 512 << 20:
        break
finish("ESCAPED", f"{stored} bytes in attributes")
