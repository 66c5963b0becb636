# attack: stores a key in the kernel, where it would outlive the run
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: add_key(
from attack import refused

ADD_KEY = 248
refused(ADD_KEY, b"user\0", b"mine\0", b"secret", 6, -3)
