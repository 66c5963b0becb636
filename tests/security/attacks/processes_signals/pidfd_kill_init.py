# attack: kills the cell's process 1 through a pidfd
# expect: outcome=ok
# expect-stdout: STILL HERE
# forbid-stdout: ESCAPED
import signal
import time

from attack import syscall

PIDFD_OPEN, PIDFD_SEND_SIGNAL = 434, 424
descriptor, _ = syscall(PIDFD_OPEN, 1, 0)
if descriptor >= 0:
    syscall(PIDFD_SEND_SIGNAL, descriptor, signal.SIGKILL, 0, 0)
time.sleep(0.1)
print("STILL HERE")
