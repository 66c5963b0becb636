# attack: sends every signal to the cell's process 1; if it died, the result would be lost
# expect: outcome=ok
# expect-stdout: STILL HERE
# forbid-stdout: ESCAPED
import os
import time

for number in range(1, 65):
    try:
        os.kill(1, number)
    except OSError:
        pass
time.sleep(0.1)
print("STILL HERE")
