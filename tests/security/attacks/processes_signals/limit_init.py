# attack: gives the first process of the cell no CPU time, so that the kernel kills it and the run looks like our failure
# expect: outcome=ok
# expect-stdout: BLOCKED
import os
import resource

from attack import finish

try:
    resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))
except PermissionError:
    finish("BLOCKED")
# Orphans that init has to bury: that is the CPU time it then lacks.
for _ in range(2000):
    child = os.fork()
    if child == 0:
        os.fork()
        os._exit(0)
    os.waitpid(child, 0)
finish("ESCAPED", "the limits of init can be changed")
