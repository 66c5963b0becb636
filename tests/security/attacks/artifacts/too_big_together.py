# attack: artifacts that are too big together only
# expect: outcome=output_limit
# expect-field: error.code="artifact_limit"
# limits: artifact_bytes=1048576
# artifacts: *.bin
for number in range(4):
    open(f"{number}.bin", "wb").write(b"x" * (300 << 10))
