# attack: makes itself the last process that the kernel would kill for memory
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import finish

before = int(open("/proc/self/oom_score_adj").read())
try:
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-1000")
except OSError:
    pass
after = int(open("/proc/self/oom_score_adj").read())
finish("BLOCKED" if after >= before else "ESCAPED", f"{before} became {after}")
