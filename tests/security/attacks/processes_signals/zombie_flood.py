# attack: children that end at once and are never waited for fill the process table
# expect: outcome=process_limit
import os
import time

while True:
    try:
        if os.fork() == 0:
            os._exit(0)
    except OSError:
        time.sleep(0.01)
