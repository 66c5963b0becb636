# attack: burns CPU time for ever
# expect: outcome=cpu_limit
# limits: cpu_ms=700 wall_ms=10000
while True:
    pass
