# attack: finds itself mapped to root on the host, or to many users
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import finish

for path in ("/proc/self/uid_map", "/proc/self/gid_map"):
    for line in open(path):
        inside, outside, count = map(int, line.split())
        if outside == 0 or count > 65_536:
            finish("ESCAPED", f"{path}: {line.split()}")
finish("BLOCKED")
