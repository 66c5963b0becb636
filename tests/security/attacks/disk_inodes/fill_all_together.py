# attack: stays below the limit in each writable directory, above it in all together
# expect: outcome=disk_limit
# limits: disk_bytes=16777216
for directory in ("/work", "/tmp", "/dev/shm"):
    with open(directory + "/hoard", "wb", buffering=0) as hoard:
        for _ in range(8):
            hoard.write(b"x" * (1 << 20))
print("ESCAPED 24 MiB on a disk of 16")
