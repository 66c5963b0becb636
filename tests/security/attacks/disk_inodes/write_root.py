# attack: writes beside the work directory, at the root
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_write

cannot_write("/x", "/bin/x", "/lib/x", "/proc/x", "/dev/x", "/root/x", "/home/x", "/var/x", "/run/x", "/sys/x")
