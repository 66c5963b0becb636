# attack: fills /dev/shm, which is memory, past the memory limit
# expect: outcome=memory_limit
# limits: memory_bytes=67108864 disk_bytes=536870912
# modes: root user
with open("/dev/shm/hoard", "wb", buffering=0) as hoard:
    while True:
        hoard.write(b"x" * (1 << 20))
