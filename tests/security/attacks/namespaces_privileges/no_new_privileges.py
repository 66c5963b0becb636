# attack: finds that programs may still gain privileges
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import finish

status = open("/proc/self/status").read()
sealed = "NoNewPrivs:\t1\n" in status and "Seccomp:\t2\n" in status
finish("BLOCKED" if sealed else "ESCAPED")
