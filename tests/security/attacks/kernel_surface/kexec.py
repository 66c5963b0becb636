# attack: boots another kernel
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: kexec_load(
from attack import refused

KEXEC_LOAD = 246
refused(KEXEC_LOAD, 0, 0, 0, 0)
