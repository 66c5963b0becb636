# attack: loads a module into the kernel
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: init_module(
from attack import refused

INIT_MODULE = 175
refused(INIT_MODULE, b'\x7fELF', 4, b'\0')
