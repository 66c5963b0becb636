# attack: leaves a POSIX segment
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
from multiprocessing import shared_memory

try:
    shared_memory.SharedMemory("state", create=False)
    print("ESCAPED")
except FileNotFoundError:
    pass
segment = shared_memory.SharedMemory("state", create=True, size=4096)
segment.buf[0] = 65
print("LEFT", flush=True)
import os  # noqa: E402  (ends without the clean-up that Python would do)

os._exit(0)
