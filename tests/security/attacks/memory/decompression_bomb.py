# attack: a few kilobytes that unpack to hundreds of megabytes
# expect: outcome=memory_limit
# limits: memory_bytes=67108864 wall_ms=15000 cpu_ms=15000
import zlib

packer = zlib.compressobj(1)
zeros = bytes(1 << 20)
bomb = b"".join([packer.compress(zeros) for _ in range(300)]) + packer.flush()
zlib.decompress(bomb)
