# attack: fills /dev/shm
# expect: outcome=disk_limit
# limits: disk_bytes=16777216
with open("/dev/shm/hoard", "wb", buffering=0) as hoard:
    for _ in range(64):
        hoard.write(b"x" * (1 << 20))
print("ESCAPED 64 MiB on a disk of 16")
