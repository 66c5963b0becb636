# attack: raises its own hard resource limits
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import resource

from attack import finish

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
if hard == resource.RLIM_INFINITY:
    finish("ESCAPED", "open files are not limited at all")
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard + 1, hard + 1))
except (PermissionError, ValueError):
    finish("BLOCKED")
finish("ESCAPED", "the hard limit was raised")
