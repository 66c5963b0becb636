# attack: duplicates a descriptor far above the limit
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import fcntl
import os

from attack import finish

for number in (256, 1024, 65_536, 1_000_000):
    for duplicate in (lambda: os.dup2(0, number), lambda: fcntl.fcntl(0, fcntl.F_DUPFD, number)):
        try:
            duplicate()
        except OSError:
            continue
        finish("ESCAPED", f"descriptor {number} exists")
finish("BLOCKED")
