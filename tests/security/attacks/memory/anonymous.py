# attack: allocates and touches memory for ever
# expect: outcome=memory_limit
# limits: memory_bytes=67108864
hoard = []
while True:
    hoard.append(b"x" * (1 << 20) + b"y")
