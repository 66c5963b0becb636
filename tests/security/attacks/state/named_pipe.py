# attack: leaves a named pipe with a writer for the next run to read
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
import os
import time

path = "/tmp/state-of-an-earlier-run.pipe"
if os.path.exists(path):
    print("ESCAPED")
else:
    os.mkfifo(path)
    if os.fork() == 0:
        os.setsid()
        pipe = os.open(path, os.O_RDWR)
        os.write(pipe, b"left")
        time.sleep(600)
time.sleep(0.1)
print("LEFT")
