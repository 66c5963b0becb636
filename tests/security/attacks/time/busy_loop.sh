# attack: burns CPU time for ever in a shell
# expect: outcome=cpu_limit
# limits: cpu_ms=700 wall_ms=10000
while :; do :; done
