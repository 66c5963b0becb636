# attack: sends every signal to the first process, to its group and to everyone, and then still wants to be run
# expect: outcome=ok
# expect-stdout: BLOCKED
import os
import signal

from attack import finish

for number in sorted(signal.valid_signals()):
    for call in (lambda: os.kill(1, number), lambda: os.killpg(1, number)):
        try:
            call()
        except OSError:
            pass
os.kill(1, 0) if os.path.exists("/proc/1") else None
try:
    os.waitid(os.P_PID, 1, os.WNOHANG | os.WEXITED)
except ChildProcessError:
    pass
finish("BLOCKED", "it lives")
