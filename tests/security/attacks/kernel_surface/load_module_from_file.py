# attack: loads a module into the kernel from a file
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: finit_module(
from attack import refused

FINIT_MODULE = 313
refused(FINIT_MODULE, 0, b'\0', 0)
