# attack: finds a capability that a program could still bring in
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import finish

bounding = [int(line.split()[1], 16) for line in open("/proc/self/status") if line.startswith("CapBnd")]
finish("BLOCKED" if bounding == [0] else "ESCAPED", str(bounding))
