# attack: enters a namespace through a file of its own process
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: setns
import os

from attack import refused

SETNS = 308
refused(SETNS, os.open("/proc/self/ns/user", os.O_RDONLY), 0)
