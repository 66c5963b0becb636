# attack: a network socket whose family has bits set that the kernel drops and a careless filter compares
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(AF_INET
from attack import refused

SOCKET, AF_INET, SOCK_STREAM = 41, 2, 1
refused(SOCKET, AF_INET | 1 << 32, SOCK_STREAM, 0)
