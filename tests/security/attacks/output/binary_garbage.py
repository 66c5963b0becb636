# attack: random bytes on both streams, which must still come back as valid text
# expect: outcome=ok
# expect-field: stdout_bytes=300000
# expect-field: stderr_bytes=300000
import os

for stream in (1, 2):
    block = os.urandom(300_000)
    while block:
        block = block[os.write(stream, block) :]
