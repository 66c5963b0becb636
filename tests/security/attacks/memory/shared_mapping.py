# attack: fills shared anonymous mappings, which belong to no process alone
# expect: outcome=memory_limit
# limits: memory_bytes=67108864
import mmap

hoard = []
while True:
    piece = mmap.mmap(-1, 1 << 20)
    piece.write(b"x" * (1 << 20))
    hoard.append(piece)
