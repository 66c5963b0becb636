# attack: an artifact at the end of a very deep path
# expect: outcome=ok
# artifacts: **
# expect-artifacts: good.txt
import os

open("good.txt", "w").write("good")
for _ in range(500):
    os.mkdir("d")
    os.chdir("d")
open("evil.txt", "w").write("x")
