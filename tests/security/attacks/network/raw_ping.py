# attack: raw sockets, to ping or to forge
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(AF_INET
import socket

from attack import finish

for kind, protocol in ((socket.SOCK_RAW, socket.IPPROTO_ICMP), (socket.SOCK_DGRAM, socket.IPPROTO_ICMP)):
    try:
        socket.socket(socket.AF_INET, kind, protocol)
    except PermissionError:
        continue
    finish("ESCAPED")
finish("BLOCKED")
