# attack: hides memory in POSIX message queues
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os
import struct

from attack import finish, syscall

MQ_OPEN = 240
for number in range(2000):
    attributes = struct.pack("8q", 0, 10, 8192, 0, 0, 0, 0, 0)
    value, code = syscall(MQ_OPEN, b"hoard%d\0" % number, os.O_CREAT | os.O_RDWR, 0o600, attributes)
    if value < 0:
        finish("BLOCKED", f"after {number} queues, errno {code}")
finish("ESCAPED", "160 MB in queues")
