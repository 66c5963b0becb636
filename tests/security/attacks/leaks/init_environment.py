# attack: reads environment, memory, maps and command line of the cell's process 1
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_read

parts = ("environ", "maps", "mem", "auxv", "stack", "syscall", "io", "personality")
cannot_read(*(f"/proc/1/{part}" for part in parts))
