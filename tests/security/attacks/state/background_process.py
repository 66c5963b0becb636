# attack: leaves a process for the next run to find
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
import os
import time

for pid in range(2, 2000):
    try:
        if b"state-of-an-earlier-run" in open(f"/proc/{pid}/cmdline", "rb").read() and pid != os.getpid():
            print("ESCAPED")
    except OSError:
        continue
if os.fork() == 0:
    os.setsid()
    os.execv("/bin/sh", ["sh", "-c", "sleep 600; : state-of-an-earlier-run"])
time.sleep(0.1)
print("LEFT")
