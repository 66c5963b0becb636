# attack: asks for the right to talk to hardware
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: iopl(
from attack import refused

IOPL = 172
refused(IOPL, 3)
