# attack: forks without end, every child forks on
# expect: outcome=process_limit
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
