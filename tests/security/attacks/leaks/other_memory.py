# attack: opens the memory of the cell's process 1 and of its own parent
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

for pid in (1, os.getppid()):
    for mode in ("rb", "r+b"):
        try:
            open(f"/proc/{pid}/mem", mode, buffering=0)
        except OSError:
            continue
        finish("ESCAPED", f"memory of {pid}")
finish("BLOCKED")
