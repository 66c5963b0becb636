# attack: opens a cluster protocol with a history of holes
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_TIPC = 41, 30
refused(SOCKET, AF_TIPC, 1, 0)
