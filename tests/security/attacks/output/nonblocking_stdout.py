# attack: switches the shared end of the stream to non-blocking, hoping that the supervisor's end follows
# expect: outcome=ok
# expect-stdout: END
# forbid-stdout: ESCAPED
import fcntl
import os
import time

for stream in (0, 1, 2):
    fcntl.fcntl(stream, fcntl.F_SETFL, fcntl.fcntl(stream, fcntl.F_GETFL) | os.O_NONBLOCK)
for _ in range(100):
    try:
        os.write(1, b"x" * 4096)
    except BlockingIOError:
        time.sleep(0.001)
time.sleep(0.1)
os.write(1, b"END\n")
