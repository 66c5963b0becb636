# attack: looks for the process that keeps the program's memory, to signal it, and changes the code that it sleeps in
# expect: outcome=ok|denied
# expect-stdout: BLOCKED
import ctypes
import os
import signal

from attack import finish

found = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
others = [pid for pid in found if pid not in (1, os.getpid())]
for pid in [*others, *range(2, 400)]:
    if pid == os.getpid():
        continue
    try:
        os.kill(pid, signal.SIGUSR1)
        finish("ESCAPED", f"process {pid} can be signalled")
    except (ProcessLookupError, PermissionError):
        pass
# Every executable page becomes one that ends whoever runs on it with a message on standard error. A keeper that woke
# up would run there; it has no descriptors, and nothing wakes it.
libc = ctypes.CDLL(None)
pages = []
for line in open("/proc/self/maps"):
    span, mode, *_rest = line.split(None, 5)
    if "x" in mode and "glovebox_zygote" in line:
        begin, end = (int(word, 16) for word in span.split("-"))
        pages.append((begin, end))
for begin, end in pages:
    libc.mprotect(ctypes.c_void_p(begin), end - begin, 7)
    ctypes.memset(begin, 0xCC, end - begin)
for pid in (0, -1):
    try:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        os.kill(pid, signal.SIGUSR1)
    except (ProcessLookupError, PermissionError):
        pass
finish("BLOCKED", f"{len(pages)} mappings overwritten, nobody ran there")
