# attack: switches to the personality of another system
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: personality(
from attack import refused

PERSONALITY = 135
refused(PERSONALITY, 0x0008)
