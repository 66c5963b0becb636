# attack: asks for real-time scheduling, which could starve the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

for policy in (os.SCHED_FIFO, os.SCHED_RR):
    try:
        os.sched_setscheduler(0, policy, os.sched_param(1))
    except PermissionError:
        continue
    finish("ESCAPED", f"policy {policy}")
finish("BLOCKED")
