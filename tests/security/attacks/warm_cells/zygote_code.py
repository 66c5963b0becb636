# attack: calls the code of the zygote, which is still in the memory of its child, to enter other namespaces
# expect: outcome=ok|denied
# expect-stdout: BLOCKED
import ctypes
import os
import socket
import struct
import time

from attack import finish

MODULE = "/glovebox/support/zygote/glovebox_zygote.abi3.so"
try:
    library = ctypes.PyDLL(MODULE)
except OSError:
    finish("BLOCKED", "it is not there")
library.PyInit_glovebox_zygote.restype = ctypes.py_object
zygote = library.PyInit_glovebox_zygote()
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
answers, channel = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
child = os.fork()
if child == 0:
    os.dup2(theirs.fileno(), 3)
    os.closerange(4, 256)
    zygote.serve()
    # Only a forked child comes back, and this one must not be in another cell.
    os.write(1, b"ESCAPED returned\n" if os.getpid() == 3 else b"forked in the same cell\n")
    os._exit(0)
theirs.close()
if ours.recv(10) != b"r":
    finish("BLOCKED", "it cannot find out what it needs to serve")
request = struct.pack("8I", 0x47425A31, 0, 0, 0, 0, 0, 0, 0)
pidfd = os.pidfd_open(os.getpid())
socket.send_fds(ours, [request], [pidfd, 0, 1, 2, channel.fileno()])
answers.settimeout(1)
try:
    answer = answers.recv(4096)
except TimeoutError:
    answer = b""
ours.close()
time.sleep(0.1)
finish("BLOCKED", f"it could do nothing, and answered {len(answer)} bytes")
