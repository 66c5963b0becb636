# attack: leaves a process that listens on an abstract socket
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
import os
import socket
import time

try:
    socket.socket(socket.AF_UNIX).connect("\0state-of-an-earlier-run")
    print("ESCAPED")
except OSError:
    pass
ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    server = socket.socket(socket.AF_UNIX)
    server.bind("\0state-of-an-earlier-run")
    server.listen()
    os.write(tell, b"x")
    time.sleep(600)
os.read(ready, 1)
print("LEFT")
