# attack: takes more than its share of the CPU by raising its priority
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

before = os.getpriority(os.PRIO_PROCESS, 0)
try:
    os.setpriority(os.PRIO_PROCESS, 0, -20)
except PermissionError:
    pass
after = os.getpriority(os.PRIO_PROCESS, 0)
finish("BLOCKED" if after >= before else "ESCAPED", f"nice {before} became {after}")
