# attack: an orphan writes after the program ended
# expect: outcome=ok
# expect-stdout: EARLY
# forbid-stdout: ESCAPED
import os
import sys
import time

print("EARLY", flush=True)
if os.fork() == 0:
    os.setsid()
    time.sleep(0.3)
    print("ESCAPED", flush=True)
    os._exit(0)
sys.exit(0)
