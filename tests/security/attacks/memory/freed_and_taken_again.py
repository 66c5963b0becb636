# attack: none: uses and frees more than the limit in total, which must not count against it
# expect: outcome=ok
# expect-stdout: SURVIVED
# limits: memory_bytes=134217728
for _ in range(50):
    piece = b"x" * (40 << 20)
    del piece
print("SURVIVED")
