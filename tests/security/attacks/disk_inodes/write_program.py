# attack: replaces the running program and what supports it
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import cannot_write, finish

for change in (os.unlink, os.rmdir, lambda path: os.chmod(path, 0o777), lambda path: os.rename(path, "/work/stolen")):
    try:
        change("/glovebox/main.py")
    except OSError:
        continue
    finish("ESCAPED", "the program was changed")
cannot_write("/glovebox/main.py", "/glovebox/x", "/glovebox/support/x")
