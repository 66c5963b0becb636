# attack: opens sockets to configure the network
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(
from attack import refused

SOCKET, AF_NETLINK = 41, 16
refused(SOCKET, AF_NETLINK, 3, 0)
