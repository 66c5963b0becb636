# attack: reads the settings and the command line of the kernel
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_read

cannot_read(
    "/proc/sys",
    "/proc/sys/kernel",
    "/proc/sys/kernel/core_pattern",
    "/proc/cmdline",
    "/proc/config.gz",
    "/proc/version",
    "/proc/bus",
    "/proc/driver",
    "/proc/fs",
    "/proc/scsi",
    "/proc/acpi",
)
