# attack: handles its own page faults, the favourite tool to win races in the kernel
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: userfaultfd(
from attack import refused

USERFAULTFD = 323
refused(USERFAULTFD, 0)
