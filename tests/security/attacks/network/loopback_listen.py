# attack: listens on the loopback of the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(AF_INET
import socket

from attack import finish

try:
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
except PermissionError as error:
    finish("BLOCKED", str(error))
finish("ESCAPED")
