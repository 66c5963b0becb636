# attack: reaches services of the host that listen on the loopback
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: socket(AF_INET
import socket

from attack import finish

for port in (22, 80, 443, 2375, 5432, 6379, 7070, 8080):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1)
    except PermissionError:
        continue
    except OSError as error:
        finish("ESCAPED", f"a socket was made: {error}")
    finish("ESCAPED", f"port {port}")
finish("BLOCKED")
