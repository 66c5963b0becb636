# attack: locks memory so that it can never be reclaimed
# expect: outcome=ok|memory_limit
# forbid-stdout: ESCAPED
# limits: memory_bytes=67108864
import ctypes
import mmap

from attack import finish, syscall

MLOCK = 149
hoard = []
for _ in range(256):
    piece = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    hoard.append(piece)
    address = ctypes.addressof(ctypes.c_char.from_buffer(piece))
    value, code = syscall(MLOCK, address, 1 << 20)
    if value != 0:
        finish("BLOCKED", str(code))
finish("ESCAPED", "256 MiB locked")
