# attack: reads /sys
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_read

cannot_read("/sys", "/sys/class/net", "/sys/kernel", "/sys/fs/cgroup", "/sys/devices/virtual/dmi/id")
