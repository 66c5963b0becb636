# attack: doubles a shell variable until memory ends
# expect: outcome=memory_limit
# limits: memory_bytes=67108864
text=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
while :; do text="$text$text"; done
