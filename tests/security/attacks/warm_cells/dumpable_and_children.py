# attack: lets others look at it, and looks from its children at what the zygote may have left in its parents
# expect: outcome=ok
# expect-stdout: BLOCKED
import ctypes
import os

from attack import finish

prctl = ctypes.CDLL(None, use_errno=True).prctl
prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE
prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)  # PR_SET_PTRACER, to anybody
reader, writer = os.pipe()
if os.fork() == 0:
    found = []
    for process in (1, os.getppid()):
        for name in ("root/proc/1/environ", "root/../etc/shadow", "cwd/../../etc/shadow", "ns/user", "ns/pid"):
            path = f"/proc/{process}/{name}"
            try:
                found.append((path, os.readlink(path) if "/ns/" in path else open(path, "rb").read(100)))
            except OSError:
                pass
    own = {os.readlink("/proc/self/ns/" + name) for name in ("user", "pid")}
    foreign = [entry for entry in found if not (isinstance(entry[1], str) and entry[1] in own)]
    os.write(writer, repr(foreign).encode())
    os._exit(0)
os.wait()
foreign = os.read(reader, 10000).decode()
finish("BLOCKED" if foreign == "[]" else "ESCAPED", foreign)
