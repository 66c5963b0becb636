# attack: connects to an abstract socket on which a process of the host listens
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# args: {abstract_socket}
import socket
import sys

from attack import finish

for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
    try:
        socket.socket(socket.AF_UNIX, kind).connect("\0" + sys.argv[1])
    except OSError as error:
        print(error)
        continue
    finish("ESCAPED")
finish("BLOCKED")
