# attack: a child clears its parent-death signal so that nothing tells it to go
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
import os
import time

from attack import syscall

PRCTL, PR_SET_PDEATHSIG = 157, 1
ready, tell = os.pipe()
if os.fork() == 0:
    syscall(PRCTL, PR_SET_PDEATHSIG, 0, 0, 0, 0)
    os.setsid()
    os.write(tell, b"x")
    time.sleep(600)
os.read(ready, 1)
print("LEFT")
