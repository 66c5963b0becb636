# attack: connects outside over IPv6
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(AF_INET6
import socket

from attack import finish

try:
    socket.socket(socket.AF_INET6, socket.SOCK_STREAM).connect(("2001:db8::1", 80))
except PermissionError as error:
    finish("BLOCKED", str(error))
finish("ESCAPED")
