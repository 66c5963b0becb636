# attack: dies in a way that would write a core dump
# expect: outcome=program_failed
# expect-field: signal="SIGABRT"
# artifacts: *core*
# expect-artifacts: none
import os

ballast = b"x" * (64 << 20)
os.abort()
