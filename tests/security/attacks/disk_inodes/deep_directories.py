# attack: directories nested so deep that a path to the last one cannot be written
# expect: outcome=ok
# expect-stdout: LEFT
# artifacts: **
# expect-artifacts: none
import os

for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
open("treasure.txt", "w").write("unreachable")
print("LEFT")
