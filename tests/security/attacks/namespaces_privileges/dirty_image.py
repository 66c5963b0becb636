# attack: writes into a read-only mapping of the image through its own memory file, as Dirty COW did
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import ctypes
import mmap
import os

from attack import finish

file = os.open("/usr/bin/env", os.O_RDONLY)
before = os.pread(file, 4096, 0)
mapping = mmap.mmap(file, 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
address = libc.mmap(None, ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_PRIVATE, file, ctypes.c_long(0))
try:
    memory = os.open("/proc/self/mem", os.O_RDWR)
    for _ in range(1000):
        os.pwrite(memory, b"DIRTY", address)
        mapping.madvise(mmap.MADV_DONTNEED)
except OSError as error:
    print(error)
after = os.pread(file, 4096, 0)
finish("BLOCKED" if before == after else "ESCAPED", "the image was changed" if before != after else "")
