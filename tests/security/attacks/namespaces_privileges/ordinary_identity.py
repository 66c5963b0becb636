# attack: finds itself with the user or a group of root
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

identity = {*os.getresuid(), *os.getresgid(), *os.getgroups()}
# 65534 is how a group that the cell has no name for looks from inside.
finish("BLOCKED" if identity <= {1000, 65534} else "ESCAPED", str(identity))
