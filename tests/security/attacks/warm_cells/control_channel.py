# attack: looks for the channel through which a waiting cell was told what to run
# expect: outcome=ok
# expect-stdout: BLOCKED
import os
import socket
import subprocess
import sys

from attack import finish

found = []
for number in range(1024):
    try:
        link = os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        continue
    if number > 2:
        found.append((number, link))
    copy = os.dup(number)
    try:
        found.append((number, socket.socket(fileno=copy).getsockname()))
    except OSError:
        os.close(copy)
child = subprocess.run(["/usr/bin/ls", "/proc/self/fd"], capture_output=True, text=True, close_fds=False).stdout.split()
if found or child != ["0", "1", "2", "3"]:  # the last one is that of the directory that ls lists
    finish("ESCAPED", f"{found} {child}")
finish("BLOCKED", "three streams and nothing else")
