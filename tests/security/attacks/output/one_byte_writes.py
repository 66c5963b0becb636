# attack: a storm of writes of one byte each
# expect: outcome=ok
# expect-field: stdout_bytes=200000
# expect-field: stdout_truncated=false
import os

for _ in range(200_000):
    os.write(1, b"x")
