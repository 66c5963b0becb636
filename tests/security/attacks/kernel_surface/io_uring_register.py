# attack: registers buffers with a ring
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: io_uring_register(
from attack import refused

IO_URING_REGISTER = 427
refused(IO_URING_REGISTER, 0, 0, 0, 0)
