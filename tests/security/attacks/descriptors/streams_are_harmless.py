# attack: opens its streams again for reading and writing, in case they are a terminal or a file of the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os
import stat

from attack import finish

for number in (0, 1, 2):
    target = os.readlink(f"/proc/self/fd/{number}")
    mode = os.fstat(number).st_mode
    if os.isatty(number):
        finish("ESCAPED", f"{number} is a terminal")
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or target == "/dev/null" or target.startswith("/memfd:"):
        continue
    try:
        os.open(f"/proc/self/fd/{number}", os.O_RDWR)
    except OSError:
        continue
    finish("ESCAPED", f"{number} is {target} and can be written")
finish("BLOCKED")
