# attack: prints for ever
# expect: outcome=output_limit
# limits: output_bytes=65536
# expect-field: stdout_truncated=true
while True:
    print("x" * 1000)
