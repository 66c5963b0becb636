# attack: opens files until the host's table is full
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

opened = 0
for opened in range(100_000):
    try:
        os.open("/dev/null", os.O_RDONLY)
    except OSError as error:
        finish("BLOCKED" if opened <= 256 else "ESCAPED", f"{opened}: {error}")
finish("ESCAPED", "a hundred thousand files")
