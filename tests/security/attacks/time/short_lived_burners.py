# attack: spreads its work over children that end before they reach the limit
# expect: outcome=cpu_limit
# expect-degraded: outcome=cpu_limit|timeout
# limits: cpu_ms=1000 wall_ms=8000
import os
import time

while True:
    if os.fork() == 0:
        while time.process_time() < 0.05:
            pass
        os._exit(0)
    os.wait()
