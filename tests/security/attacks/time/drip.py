# attack: prints a little all the time, to look alive past its limit
# expect: outcome=timeout
# expect-stdout: tick
# limits: wall_ms=1000
import time

while True:
    print("tick", flush=True)
    time.sleep(0.02)
