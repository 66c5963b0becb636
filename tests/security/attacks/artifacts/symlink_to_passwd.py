# attack: an artifact that is a link to a file of the host
# expect: outcome=ok
# artifacts: *.txt
# expect-artifacts: good.txt
# forbid-artifact: root:x:
import os

open("good.txt", "w").write("good")
os.symlink("/etc/passwd", "evil.txt")
