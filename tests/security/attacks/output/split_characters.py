# attack: characters of three bytes across the place where the output is cut
# expect: outcome=ok
# limits: output_bytes=65536
# expect-field: stdout_truncated=true
# expect-field: stdout_bytes=300000
import os

block = "€".encode() * 100_000
while block:
    block = block[os.write(1, block[:7001]) :]
