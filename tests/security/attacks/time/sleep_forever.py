# attack: uses no CPU at all and never ends
# expect: outcome=timeout
# expect-stdout: before
# limits: wall_ms=800
import time

print("before", flush=True)
time.sleep(10**6)
