# attack: a file that nobody may read, and a directory that nobody may enter
# expect: outcome=ok
# artifacts: **
# expect-artifacts: good.txt [locked.txt] [closed/inner.txt]
import os

open("good.txt", "w").write("good")
open("locked.txt", "w").write("locked")
os.chmod("locked.txt", 0)
os.mkdir("closed")
open("closed/inner.txt", "w").write("inner")
os.chmod("closed", 0)
