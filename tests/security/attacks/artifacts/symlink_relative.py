# attack: a link that climbs out of the work directory
# expect: outcome=ok
# artifacts: **
# expect-artifacts: out/good.txt
# forbid-artifact: root:x:
import os

os.makedirs("out")
open("out/good.txt", "w").write("good")
os.symlink("../../../../../../../etc/passwd", "out/evil.txt")
