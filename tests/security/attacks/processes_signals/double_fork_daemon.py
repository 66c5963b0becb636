# attack: a daemon, forked twice and in its own session, wants to outlive the run
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.wait()
print("LEFT")
