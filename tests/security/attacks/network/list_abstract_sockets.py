# attack: lists the local sockets of the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# args: {abstract_socket}
import sys

from attack import finish

for path in ("/proc/net/unix", "/proc/self/net/unix"):
    try:
        listing = open(path).read()
    except OSError:
        continue
    if sys.argv[1] in listing:
        finish("ESCAPED", path)
finish("BLOCKED")
