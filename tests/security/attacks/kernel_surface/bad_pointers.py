# attack: wild pointers in calls that are refused and in calls that are allowed
# expect: outcome=ok
# expect-stdout: DONE
# forbid-stdout: ESCAPED
from attack import finish, syscall

MOUNT, OPENAT, STATX, EXECVE = 165, 257, 332, 59
for pointer in (1, 0xFFFF_FFFF_FFFF, -1, 0xFFFFFFFF80000000 - (1 << 64)):
    for call in (MOUNT, OPENAT, STATX, EXECVE):
        value, _ = syscall(call, pointer, pointer, pointer, pointer, pointer)
        if value >= 0:
            finish("ESCAPED", f"call {call}")
print("DONE")
