# attack: submits to a ring that it does not have
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: io_uring_enter(
from attack import refused

IO_URING_ENTER = 426
refused(IO_URING_ENTER, 0, 1, 0, 0, 0, 0)
