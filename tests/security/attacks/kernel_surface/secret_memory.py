# attack: takes memory that the kernel cannot see
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: memfd_secret(
from attack import refused

MEMFD_SECRET = 447
refused(MEMFD_SECRET, 0)
