# attack: asks for single ports of the hardware
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: ioperm(
from attack import refused

IOPERM = 173
refused(IOPERM, 0x60, 1, 1)
