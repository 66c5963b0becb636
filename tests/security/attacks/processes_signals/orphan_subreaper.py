# attack: becomes the reaper of its own orphans, to keep them from the cell's init
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
import os
import time

from attack import syscall

PRCTL, PR_SET_CHILD_SUBREAPER = 157, 36
syscall(PRCTL, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    os._exit(0)
os.wait()
print("LEFT")
