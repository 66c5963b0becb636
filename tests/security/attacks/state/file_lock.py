# attack: leaves a process that holds a lock on a file of the image
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
import fcntl
import os
import time

file = os.open("/usr/bin/od", os.O_RDONLY)
try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("ESCAPED")
if os.fork() == 0:
    os.setsid()
    time.sleep(600)
print("LEFT")
