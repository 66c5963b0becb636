# attack: leaves a System V segment
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
from attack import finish, syscall

SHMGET, IPC_CREAT, KEY = 29, 0o1000, 0x67620001
if syscall(SHMGET, KEY, 4096, 0o600)[0] >= 0:
    finish("ESCAPED", "the segment of the earlier run")
value, code = syscall(SHMGET, KEY, 4096, IPC_CREAT | 0o600)
finish("LEFT" if value >= 0 or code else "UNCLEAR", str(code))
