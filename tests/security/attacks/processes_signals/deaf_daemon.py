# attack: a daemon that ignores every signal it can wants to outlive the run
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
import os
import signal
import time

ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    os.write(tell, b"x")
    time.sleep(600)
os.read(ready, 1)
print("LEFT")
