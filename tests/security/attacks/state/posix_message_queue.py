# attack: leaves a POSIX message queue
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
import os
import struct

from attack import finish, syscall

MQ_OPEN = 240
if syscall(MQ_OPEN, b"state\0", os.O_RDWR, 0, 0)[0] >= 0:
    finish("ESCAPED", "the queue of the earlier run")
attributes = struct.pack("8q", 0, 4, 64, 0, 0, 0, 0, 0)
value, code = syscall(MQ_OPEN, b"state\0", os.O_CREAT | os.O_RDWR, 0o600, attributes)
finish("LEFT" if value >= 0 or code else "UNCLEAR", str(code))
