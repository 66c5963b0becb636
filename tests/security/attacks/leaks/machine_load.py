# attack: watches the load and the disks of the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_read

cannot_read(
    "/proc/uptime",
    "/proc/loadavg",
    "/proc/stat",
    "/proc/meminfo",
    "/proc/interrupts",
    "/proc/diskstats",
    "/proc/partitions",
    "/proc/locks",
    "/proc/pressure/cpu",
    "/proc/schedstat",
)
