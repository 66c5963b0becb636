# attack: the same, limited to user mode, as ordinary users may elsewhere
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: userfaultfd(
from attack import refused

USERFAULTFD = 323
refused(USERFAULTFD, 1)
