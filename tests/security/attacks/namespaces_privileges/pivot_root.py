# attack: swaps its root for another
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: pivot_root
from attack import refused

PIVOT_ROOT = 155
refused(PIVOT_ROOT, b"/work\0", b"/work\0")
