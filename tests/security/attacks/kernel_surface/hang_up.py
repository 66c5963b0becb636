# attack: hangs up the terminal of whoever started it
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: vhangup(
from attack import refused

VHANGUP = 153
refused(VHANGUP)
