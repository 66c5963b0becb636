# attack: opens shared-memory networking
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_SMC = 41, 43
refused(SOCKET, AF_SMC, 1, 0)
