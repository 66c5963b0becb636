# attack: connects to an address outside
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(AF_INET, SOCK_STREAM
import socket

from attack import finish

try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
except PermissionError as error:
    finish("BLOCKED", str(error))
finish("ESCAPED")
