# attack: asks for a key of someone else
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: request_key(
from attack import refused

REQUEST_KEY = 249
refused(REQUEST_KEY, b"user\0", b"theirs\0", 0, 0)
