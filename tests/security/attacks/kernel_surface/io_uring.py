# attack: sets up a ring that runs calls behind the filter's back
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: io_uring_setup(
from attack import refused

IO_URING_SETUP = 425
refused(IO_URING_SETUP, 8, bytes(120))
