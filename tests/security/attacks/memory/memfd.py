# attack: fills a memory file that is mapped nowhere
# expect: outcome=memory_limit
# limits: memory_bytes=67108864
# modes: root user
import os

descriptor = os.memfd_create("hoard")
while True:
    os.write(descriptor, b"x" * (1 << 20))
