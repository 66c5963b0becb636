# attack: makes a pseudo terminal to get at the terminal calls
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

for path in ("/dev/ptmx", "/dev/pts/ptmx", "/dev/tty", "/dev/console", "/dev/tty0", "/dev/pts/0"):
    try:
        os.open(path, os.O_RDWR)
    except OSError:
        continue
    finish("ESCAPED", path)
finish("BLOCKED")
