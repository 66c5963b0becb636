# attack: seizes its parent as a debugger
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: ptrace(
import os

from attack import refused

PTRACE, PTRACE_SEIZE = 101, 0x4206
refused(PTRACE, PTRACE_SEIZE, os.getppid(), 0, 0)
