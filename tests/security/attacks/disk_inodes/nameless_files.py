# attack: fills the disk through temporary files that never had a name
# expect: outcome=disk_limit|program_failed
# limits: disk_bytes=16777216
import os

hoard = []
for _ in range(64):
    file = os.open("/tmp", os.O_RDWR | os.O_TMPFILE, 0o600)
    hoard.append(file)
    block = b"x" * (1 << 20)
    while block:
        block = block[os.write(file, block) :]
print("ESCAPED 64 MiB on a disk of 16")
