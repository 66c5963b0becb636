# attack: a sparse file of a terabyte, whose holes become real pages when a mapping reads them
# expect: outcome=ok|disk_limit
# forbid-stdout: ESCAPED
# limits: disk_bytes=16777216
import mmap
import os

from attack import finish

file = os.open("/work/hoard", os.O_RDWR | os.O_CREAT)
try:
    os.ftruncate(file, 1 << 40)
except OSError as error:
    finish("BLOCKED", str(error))
mapping = mmap.mmap(file, 64 << 20)
for offset in range(0, 64 << 20, 4096):
    mapping[offset]
if os.fstat(file).st_blocks * 512 > 32 << 20:
    finish("ESCAPED", "the holes became pages")
finish("BLOCKED", "the holes stayed holes")
