# attack: opens raw frames of the network card
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_PACKET = 41, 17
refused(SOCKET, AF_PACKET, 3, 768)
