# attack: reads the kernel's log with its own call
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: syslog(
from attack import refused

SYSLOG = 103
refused(SYSLOG, 3, bytes(4096), 4096)
