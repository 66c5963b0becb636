# attack: burns CPU with a wall limit shorter than the CPU limit
# expect: outcome=timeout
# limits: cpu_ms=5000 wall_ms=700
while True:
    pass
