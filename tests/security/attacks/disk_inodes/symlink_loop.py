# attack: links that lead to each other, then walks them
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# artifacts: one/** two/**
# expect-artifacts: none
import errno
import os

os.symlink("two", "one")
os.symlink("one", "two")
try:
    os.listdir("one")
    print("ESCAPED")
except OSError as error:
    print("BLOCKED" if error.errno == errno.ELOOP else error)
