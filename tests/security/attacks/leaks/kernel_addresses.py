# attack: learns where the kernel lies in memory
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_read

cannot_read("/proc/kallsyms", "/proc/modules", "/proc/iomem", "/proc/slabinfo", "/proc/timer_list", "/boot/System.map")
