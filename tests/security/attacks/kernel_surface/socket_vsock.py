# attack: opens sockets to the hypervisor
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_VSOCK = 41, 40
refused(SOCKET, AF_VSOCK, 1, 0)
