# attack: sends urgent data over a local socket, whose code in the kernel was a way out more than once
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: sendto
# expect-denial: sendmsg
# expect-denial: recvfrom
# expect-denial: recvmsg
import errno
import socket

from attack import finish

left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
refused = 0
for urgent in (
    lambda: left.send(b"!", socket.MSG_OOB),
    lambda: left.sendmsg([b"!"], [], socket.MSG_OOB),
    lambda: right.recv(1, socket.MSG_OOB | socket.MSG_DONTWAIT),
    lambda: right.recvmsg(1, 0, socket.MSG_OOB | socket.MSG_DONTWAIT),
    lambda: left.send(b"!", socket.MSG_OOB | socket.MSG_DONTWAIT),
):
    try:
        urgent()
    except OSError as error:
        refused += error.errno == errno.EOPNOTSUPP
left.sendall(b"plain")
if refused == 5 and right.recv(16) == b"plain":
    finish("BLOCKED", "urgent data is refused, plain data arrives")
finish("ESCAPED", f"{refused} of 5 were refused")
