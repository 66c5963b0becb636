# attack: opens near-field radio
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_NFC = 41, 39
refused(SOCKET, AF_NFC, 5, 0)
