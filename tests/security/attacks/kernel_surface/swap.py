# attack: makes a file of its own the host's swap
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: swapon(
from attack import refused

SWAPON = 167
refused(SWAPON, b"/work/swap\0", 0)
