# attack: opens the table of network keys
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_KEY = 41, 15
refused(SOCKET, AF_KEY, 3, 2)
