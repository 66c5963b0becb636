# attack: attaches to the cell's process 1 as a debugger
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: ptrace(
from attack import refused

PTRACE, PTRACE_ATTACH = 101, 16
refused(PTRACE, PTRACE_ATTACH, 1, 0, 0)
