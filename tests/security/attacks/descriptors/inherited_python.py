# attack: looks for descriptors that a warm interpreter brought along
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

extra = []
for number in range(3, 4096):
    try:
        os.fstat(number)
    except OSError:
        continue
    extra.append(f"{number}: {os.readlink(f'/proc/self/fd/{number}')}")
finish("ESCAPED" if extra else "BLOCKED", "; ".join(extra))
