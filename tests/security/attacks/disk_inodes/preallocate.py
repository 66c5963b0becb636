# attack: reserves a terabyte without writing it
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

file = os.open("/work/hoard", os.O_RDWR | os.O_CREAT)
try:
    os.posix_fallocate(file, 0, 1 << 40)
except OSError as error:
    finish("BLOCKED", str(error))
finish("ESCAPED", "a terabyte reserved")
