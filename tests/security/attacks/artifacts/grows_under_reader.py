# attack: a daemon appends to an artifact while it is collected, to slip past the size check
# expect: outcome=ok|output_limit
# artifacts: *.bin
# limits: artifact_file_bytes=33554432
import os
import time

if os.fork() == 0:
    os.setsid()
    with open("grow.bin", "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
            time.sleep(0.0005)
time.sleep(0.3)
