# attack: keeps capabilities over a change of user
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import refused

PRCTL, PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP = 157, 28, 4
refused(PRCTL, PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0)
