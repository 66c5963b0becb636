# attack: many processes burn CPU, each below the limit, together above it
# expect: outcome=cpu_limit
# expect-degraded: outcome=cpu_limit|timeout
# limits: cpu_ms=1200 wall_ms=8000
import os

for _ in range(11):
    if os.fork() == 0:
        break
while True:
    pass
