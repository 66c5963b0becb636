# attack: probes every process id for something outside its own run
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

seen = []
for pid in range(1, 70_000):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        continue
    except PermissionError:
        pass
    seen.append(pid)
finish("BLOCKED" if os.getpid() in seen and max(seen) < 100 and len(seen) < 8 else "ESCAPED", str(seen[:50]))
