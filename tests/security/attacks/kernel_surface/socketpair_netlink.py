# attack: a pair of sockets of another family
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socketpair(
from attack import refused

SOCKETPAIR, AF_TIPC, SOCK_SEQPACKET = 53, 30, 5
refused(SOCKETPAIR, AF_TIPC, SOCK_SEQPACKET, 0, bytes(8))
