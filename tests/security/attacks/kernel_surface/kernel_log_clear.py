# attack: clears the kernel's log
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: syslog(
from attack import refused

SYSLOG = 103
refused(SYSLOG, 5, 0, 0)
