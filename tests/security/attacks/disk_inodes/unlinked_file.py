# attack: fills the disk through a file that has no name any more
# expect: outcome=disk_limit|program_failed
# limits: disk_bytes=16777216
import os

hoard = os.open("/tmp/hoard", os.O_RDWR | os.O_CREAT)
os.unlink("/tmp/hoard")
written = 0
while written < 64 << 20:
    written += os.write(hoard, b"x" * (1 << 20))
print("ESCAPED 64 MiB on a disk of 16")
