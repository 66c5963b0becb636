# attack: becomes traceable, to steer a helper of its own
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: ptrace(
from attack import refused

PTRACE = 101
refused(PTRACE, 0, 0, 0, 0)
