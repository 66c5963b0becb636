# attack: an escape sequence that never ends must not swallow or smuggle what follows
# expect: outcome=ok
# expect-stdout: START
import sys

sys.stdout.write("START\x1b]0;" + "x" * 100_000)
sys.stdout.flush()
sys.stdout.write("\x1b[")
