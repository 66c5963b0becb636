# attack: kills every process it can see, then checks that its run still counts
# expect: outcome=ok
# expect-stdout: STILL HERE
# forbid-stdout: ESCAPED
import os
import signal

try:
    os.kill(-1, signal.SIGKILL)
except ProcessLookupError:
    pass
print("STILL HERE")
