# attack: NUL bytes, which end a string in some languages
# expect: outcome=ok
# expect-stdout: END
# expect-field: stdout_bytes=1004
import os

os.write(1, b"\0" * 1000 + b"END\n")
