# attack: a single line without end of line, twice the cap
# expect: outcome=ok
# limits: output_bytes=65536
# expect-field: stdout_truncated=true
# expect-field: stdout_bytes=131072
import sys

sys.stdout.write("x" * 131072)
