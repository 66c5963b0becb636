# attack: takes all inotify instances of the user who started Glovebox, so that other cells and the host get none
# expect: outcome=ok
# expect-stdout: BLOCKED
# limits: open_files=512
from attack import finish, syscall

INOTIFY_INIT1 = 294
FAIR_SHARE = 32  # of the 128 that Linux gives a user
for count in range(FAIR_SHARE + 1):
    value, code = syscall(INOTIFY_INIT1, 0)
    if value < 0:
        finish("BLOCKED", f"errno {code} after {count}")
finish("ESCAPED", f"more than {FAIR_SHARE} instances")
