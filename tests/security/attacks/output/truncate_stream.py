# attack: truncates and seeks in its streams, which would destroy a file of the host behind them
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

for stream in (1, 2):
    for change in (lambda: os.ftruncate(stream, 0), lambda: os.lseek(stream, 0, os.SEEK_SET)):
        try:
            change()
        except OSError:
            continue
        finish("ESCAPED", f"stream {stream} is a file")
finish("BLOCKED")
