# attack: uses up the host user's file watches
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import finish, syscall

INOTIFY_INIT1 = 294
for count in range(2000):
    value, code = syscall(INOTIFY_INIT1, 0)
    if value < 0:
        finish("BLOCKED", f"errno {code} after {count}")
finish("ESCAPED", "two thousand instances")
