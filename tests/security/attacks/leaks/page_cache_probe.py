# attack: asks which files of the image are in memory, which tells what the host and other cells have read
# expect: outcome=ok
# expect-stdout: BLOCKED
import os

from attack import finish

file = os.open("/usr/bin/env", os.O_RDONLY)
os.read(file, 1)
try:
    os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT)
except BlockingIOError:
    finish("ESCAPED", "not in memory")
except OSError as error:
    finish("BLOCKED", str(error))
finish("ESCAPED", "in memory")
