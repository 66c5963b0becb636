# attack: learns the name of the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os
import socket

from attack import finish

names = {socket.gethostname(), os.uname().nodename}
finish("BLOCKED" if names == {"glovebox"} else "ESCAPED", str(names))
