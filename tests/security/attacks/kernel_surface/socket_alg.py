# attack: opens the kernel's cipher sockets
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_ALG = 41, 38
refused(SOCKET, AF_ALG, 5, 0)
