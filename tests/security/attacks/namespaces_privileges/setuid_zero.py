# attack: becomes root by asking
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

changes = (
    lambda: os.setuid(0),
    lambda: os.setgid(0),
    lambda: os.setreuid(0, 0),
    lambda: os.setresuid(0, 0, 0),
    lambda: os.setresgid(0, 0, 0),
    lambda: os.setgroups([0]),
)
for change in changes:
    try:
        change()
    except OSError:
        continue
    finish("ESCAPED", f"ids {os.getresuid()} {os.getresgid()}")
finish("BLOCKED", f"ids {os.getresuid()} {os.getresgid()}")
