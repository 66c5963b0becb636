# attack: prints four times the cap and ends well: the head and tail stay, the count is true
# expect: outcome=ok
# expect-stdout: HEAD
# expect-stdout: TAIL
# limits: output_bytes=65536
# expect-field: stdout_truncated=true
# expect-field: stdout_bytes=262154
import sys

sys.stdout.write("HEAD\n" + "x" * 262144 + "TAIL\n")
