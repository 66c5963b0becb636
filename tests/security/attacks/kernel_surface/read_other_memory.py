# attack: reads the memory of the cell's process 1
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: process_vm_readv(
from attack import refused

PROCESS_VM_READV = 310
refused(PROCESS_VM_READV, 1, bytes(16), 1, bytes(16), 1, 0)
