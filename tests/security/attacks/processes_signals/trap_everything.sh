# attack: a shell that traps every signal and loops past its wall limit
# expect: outcome=timeout
# forbid-stdout: ESCAPED
# limits: wall_ms=800
for number in $(seq 1 64); do trap '' "$number" 2> /dev/null; done
while :; do sleep 5; done
