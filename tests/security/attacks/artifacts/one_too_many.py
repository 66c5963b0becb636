# attack: one artifact more than allowed
# expect: outcome=output_limit
# expect-field: error.code="artifact_limit"
# limits: artifact_count=4
# artifacts: *.txt
for number in range(5):
    open(f"{number}.txt", "w").write("x")
