# attack: learns the names of the host's cgroups
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# modes: root user
from attack import finish

try:
    lines = open("/proc/self/cgroup").read().split("\n")
except OSError as error:
    finish("BLOCKED", str(error))
paths = {line.split(":", 2)[2] for line in lines if line}
finish("BLOCKED" if paths <= {"/"} else "ESCAPED", str(paths))
