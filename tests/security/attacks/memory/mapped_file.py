# attack: fills memory through the mapping of a file in /tmp
# expect: outcome=memory_limit
# limits: memory_bytes=67108864 disk_bytes=536870912
# modes: root user
import mmap

with open("/tmp/hoard", "w+b") as file:
    file.truncate(256 << 20)
    mapping = mmap.mmap(file.fileno(), 256 << 20)
    for offset in range(0, 256 << 20, 4096):
        mapping[offset] = 1
