# attack: asks for a pipe with a buffer of a gigabyte
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import fcntl
import os

from attack import finish

F_SETPIPE_SZ = 1031
_, writer = os.pipe()
try:
    fcntl.fcntl(writer, F_SETPIPE_SZ, 1 << 30)
except OSError as error:
    finish("BLOCKED", str(error))
finish("ESCAPED")
