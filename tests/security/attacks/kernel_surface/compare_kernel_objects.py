# attack: compares kernel pointers of two processes
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: kcmp(
import os

from attack import refused

KCMP = 312
refused(KCMP, 1, os.getpid(), 0, 0, 0)
