# attack: leaves a message in a System V queue
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
from attack import finish, syscall

MSGGET, MSGSND, IPC_CREAT, KEY = 68, 69, 0o1000, 0x67620003
if syscall(MSGGET, KEY, 0o600)[0] >= 0:
    finish("ESCAPED", "the queue of the earlier run")
queue, code = syscall(MSGGET, KEY, IPC_CREAT | 0o600)
if queue >= 0:
    syscall(MSGSND, queue, b"\x01\0\0\0\0\0\0\0left", 4, 0)
finish("LEFT" if queue >= 0 or code else "UNCLEAR", str(code))
