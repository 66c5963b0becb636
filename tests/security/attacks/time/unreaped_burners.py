# attack: like the short-lived burners, but nobody waits for them, so that their time is counted nowhere but in a cgroup
# expect: outcome=cpu_limit
# limits: cpu_ms=1000 wall_ms=8000
# modes: root user
import os
import signal
import time

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        while time.process_time() < 0.05:
            pass
        os._exit(0)
    time.sleep(0.05)
