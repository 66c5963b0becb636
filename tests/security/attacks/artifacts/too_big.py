# attack: one artifact beyond its size
# expect: outcome=output_limit
# expect-field: error.code="artifact_limit"
# limits: artifact_file_bytes=1048576
# artifacts: *.bin
open("big.bin", "wb").write(b"x" * ((1 << 20) + 1))
