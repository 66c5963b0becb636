# attack: reads the files that identify the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_read

cannot_read(
    "/etc/machine-id",
    "/var/lib/dbus/machine-id",
    "/proc/sys/kernel/random/boot_id",
    "/sys/class/dmi/id/product_uuid",
    "/etc/ssh",
    "/etc/fstab",
    "/etc/crontab",
    "/etc/environment",
    "/etc/resolv.conf",
)
