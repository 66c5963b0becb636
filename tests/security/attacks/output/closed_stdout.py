# attack: closes its own streams and goes on
# expect: outcome=ok
# expect-field: stdout_bytes=0
# expect-field: stderr_bytes=0
import os
import time

os.close(0)
os.close(1)
os.close(2)
time.sleep(0.3)
os._exit(0)
