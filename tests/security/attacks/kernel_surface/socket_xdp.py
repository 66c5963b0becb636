# attack: opens direct access to the network card
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_XDP = 41, 44
refused(SOCKET, AF_XDP, 3, 0)
