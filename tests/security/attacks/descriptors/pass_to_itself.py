# attack: a socket that holds itself in flight, which only the kernel's garbage collector can free
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
import array
import socket

for _ in range(50):
    left, right = socket.socketpair()
    try:
        both = array.array("i", [left.fileno(), right.fileno()])
        left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, both)])
    except OSError:
        break
    left.close()
    right.close()
print("LEFT")
