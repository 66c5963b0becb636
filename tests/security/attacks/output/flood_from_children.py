# attack: many processes flood the same stream
# expect: outcome=output_limit
# limits: output_bytes=65536
import os

for _ in range(16):
    if os.fork() == 0:
        break
while True:
    os.write(1, b"x" * 4096)
