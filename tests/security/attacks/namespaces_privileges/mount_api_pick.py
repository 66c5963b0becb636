# attack: takes hold of the root file system to change its options
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: fspick
from attack import refused

FSPICK, AT_FDCWD = 433, -100
refused(FSPICK, AT_FDCWD, b"/\0", 0)
