# attack: reads the kernel's log from its devices
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_read

cannot_read("/dev/kmsg", "/proc/kmsg", "/dev/log", "/var/log/kern.log")
