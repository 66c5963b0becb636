# attack: hands eight megabytes to the kernel at once
# expect: outcome=ok
# expect-field: stdout_truncated=true
# expect-field: stdout_bytes=8388608
import os

block = b"x" * (8 << 20)
while block:
    block = block[os.write(1, block) :]
