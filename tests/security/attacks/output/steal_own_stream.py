# attack: opens the reading end of its own stdout, swallows what was written there and keeps the pipe alive
# expect: outcome=ok
# expect-stdout: LAST
# limits: wall_ms=3000
import os
import time

try:
    reader = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
except PermissionError:
    reader = None
end = time.monotonic() + 0.5
while time.monotonic() < end:
    os.write(1, b"first\n")
    try:
        if reader is not None:
            os.read(reader, 4096)
    except BlockingIOError:
        pass
if os.fork() == 0:
    os.setsid()
    time.sleep(600)
if reader is not None:
    os.close(reader)
time.sleep(0.2)
os.write(1, b"LAST\n")
