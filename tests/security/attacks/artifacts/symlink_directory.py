# attack: a directory of artifacts that is a link to a directory of the host
# expect: outcome=ok
# artifacts: out/** out/passwd
# expect-artifacts: none
# forbid-artifact: root:x:
import os

os.symlink("/etc", "out")
