# attack: the classic shell fork bomb
# expect: outcome=process_limit
bomb() { bomb | bomb & }
bomb
sleep 600
