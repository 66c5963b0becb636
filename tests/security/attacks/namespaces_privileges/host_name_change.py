# attack: renames the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: sethostname
from attack import refused

SETHOSTNAME = 170
refused(SETHOSTNAME, b"owned", 5)
