# attack: connects to a socket in a directory of the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# args: {socket_path}
import socket
import sys

from attack import finish

try:
    socket.socket(socket.AF_UNIX).connect(sys.argv[1])
except OSError as error:
    finish("BLOCKED", str(error))
finish("ESCAPED")
