# attack: writes segment descriptors
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: modify_ldt(
from attack import refused

MODIFY_LDT = 154
refused(MODIFY_LDT, 1, bytes(16), 16)
