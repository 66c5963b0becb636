# attack: executes another program while the keeper holds the old memory, again and again, to grow past the limit
# expect: outcome=ok
# expect-stdout: BLOCKED
import os
import sys

from attack import finish

rounds = int(os.environ.get("ROUNDS", "0"))
if rounds < 20:
    ballast = bytearray(16 << 20)
    ballast[:: 4096] = b"x" * len(ballast[:: 4096])
    os.environ["ROUNDS"] = str(rounds + 1)
    if rounds == 0:
        child = os.fork()
        if child:
            finish("BLOCKED" if os.waitpid(child, 0)[1] == 0 else "ESCAPED", "twenty executions fit the limit")
    os.execve(sys.executable, [sys.executable, __file__], os.environ)
os._exit(0)
