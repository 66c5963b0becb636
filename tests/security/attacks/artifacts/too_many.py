# attack: thousands of artifacts
# expect: outcome=output_limit
# expect-field: error.code="artifact_limit"
# artifacts: out/**
import os

os.mkdir("out")
for number in range(5000):
    open(f"out/{number}.txt", "w").write("x")
