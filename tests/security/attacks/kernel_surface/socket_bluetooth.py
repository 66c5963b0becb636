# attack: opens the radio
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_BLUETOOTH = 41, 31
refused(SOCKET, AF_BLUETOOTH, 3, 1)
