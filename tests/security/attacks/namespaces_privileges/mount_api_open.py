# attack: opens a file system with the newer mount calls
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: fsopen
from attack import refused

FSOPEN = 430
refused(FSOPEN, b"tmpfs\0", 0)
