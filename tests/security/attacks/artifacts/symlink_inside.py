# attack: a link to a file inside the work directory: even this is no file
# expect: outcome=ok
# artifacts: *.txt
# expect-artifacts: real.txt
import os

open("real.txt", "w").write("real")
os.symlink("real.txt", "link.txt")
