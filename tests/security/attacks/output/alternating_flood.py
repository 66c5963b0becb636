# attack: fills both streams in turn, so that a reader of one blocks on the other
# expect: outcome=output_limit
# limits: output_bytes=65536
import os

while True:
    os.write(1, b"o" * 5000)
    os.write(2, b"e" * 5000)
