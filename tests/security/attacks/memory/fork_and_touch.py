# attack: each process stays below the limit, together they exceed it
# expect: outcome=memory_limit
# limits: memory_bytes=134217728
import os
import sys
import time

for _ in range(8):
    if os.fork() == 0:
        ballast = bytearray(b"x") * (40 << 20)
        time.sleep(600)
_, status = os.wait()
sys.exit(1)
