# attack: has every process of the host logged into a file of its own
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: acct(
from attack import refused

ACCT = 163
refused(ACCT, b"/work/log\0")
