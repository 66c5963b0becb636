# attack: removes a module from the kernel
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: delete_module(
from attack import refused

DELETE_MODULE = 176
refused(DELETE_MODULE, b'x\0', 0)
