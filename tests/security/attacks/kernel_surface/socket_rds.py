# attack: opens a cluster protocol with a history of holes
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_RDS = 41, 21
refused(SOCKET, AF_RDS, 5, 0)
