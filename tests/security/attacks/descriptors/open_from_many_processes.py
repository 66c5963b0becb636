# attack: each process opens as much as it may, together they fill the table
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

children = []
for _ in range(30):
    child = os.fork()
    if child == 0:
        for count in range(1000):
            try:
                os.eventfd(0)
            except OSError:
                os._exit(0 if count <= 256 else 1)
        os._exit(1)
    children.append(child)
over = [child for child in children if os.waitpid(child, 0)[1] != 0]
finish("ESCAPED" if over else "BLOCKED", f"{len(over)} of {len(children)} went past the limit")
