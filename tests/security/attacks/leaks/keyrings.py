# attack: lists the keys of the host's users
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_read

cannot_read("/proc/keys", "/proc/key-users")
