# attack: lists /proc for processes of the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
finish("BLOCKED" if os.getpid() in pids and len(pids) <= 4 and max(pids) < 100 else "ESCAPED", str(pids))
