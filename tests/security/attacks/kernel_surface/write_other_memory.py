# attack: writes the memory of the cell's process 1
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: process_vm_writev(
from attack import refused

PROCESS_VM_WRITEV = 311
refused(PROCESS_VM_WRITEV, 1, bytes(16), 1, bytes(16), 1, 0)
