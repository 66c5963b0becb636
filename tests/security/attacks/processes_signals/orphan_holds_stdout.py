# attack: a child keeps stdout open after the program ended, so that a reader waiting for its end hangs
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# limits: wall_ms=8000
import os
import time

if os.fork() == 0:
    os.setsid()
    time.sleep(600)
print("LEFT")
