# attack: learns the network addresses of the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

for path in ("/proc/net/dev", "/proc/self/net/dev", "/proc/self/net/arp", "/proc/self/net/tcp", "/sys/class/net"):
    try:
        lines = os.listdir(path) if os.path.isdir(path) else open(path).read().splitlines()
    except OSError:
        continue
    others = [line for line in lines if not any(word in line for word in ("lo", "Inter-", "face", "IP address", "sl "))]
    if others:
        finish("ESCAPED", f"{path}: {others}")
finish("BLOCKED")
