# attack: opens the bus of a car
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_CAN = 41, 29
refused(SOCKET, AF_CAN, 3, 1)
