# attack: leaves a System V semaphore
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
from attack import finish, syscall

SEMGET, IPC_CREAT, KEY = 64, 0o1000, 0x67620002
if syscall(SEMGET, KEY, 1, 0o600)[0] >= 0:
    finish("ESCAPED", "the semaphore of the earlier run")
value, code = syscall(SEMGET, KEY, 1, IPC_CREAT | 0o600)
finish("LEFT" if value >= 0 or code else "UNCLEAR", str(code))
