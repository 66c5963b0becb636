# attack: none: runs into the limit, cleans up and goes on, which must count as success
# expect: outcome=ok
# expect-stdout: SURVIVED
# limits: disk_bytes=16777216
import os

try:
    with open("/work/hoard", "wb", buffering=0) as hoard:
        while True:
            hoard.write(b"x" * (1 << 20))
except OSError:
    os.unlink("/work/hoard")
open("/work/small", "w").write("fits")
print("SURVIVED")
