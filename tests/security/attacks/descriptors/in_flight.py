# attack: parks descriptors inside socket messages, where no limit of the process counts them
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import array
import os
import socket

from attack import finish

parked = 0
kept = []
try:
    for _ in range(100):
        left, right = socket.socketpair()
        kept += [left, right]
        left.setblocking(False)
        for _ in range(200):
            file = os.open("/dev/null", os.O_RDONLY)
            rights = array.array("i", [file] * 50)
            try:
                left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
                parked += 50
            except BlockingIOError:
                break
            finally:
                os.close(file)
except OSError as error:
    finish("BLOCKED" if parked < 20_000 else "ESCAPED", f"{parked} parked: {error}")
finish("ESCAPED", f"{parked} parked")
