# attack: reads the memory of the kernel and the machine
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_read

cannot_read("/proc/kcore", "/proc/vmcore", "/proc/kpageflags", "/dev/mem", "/dev/kmem", "/dev/port", "/dev/kvm")
