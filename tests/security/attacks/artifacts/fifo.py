# attack: a named pipe, at which whoever opens it waits for ever
# expect: outcome=ok
# artifacts: *
# expect-artifacts: good.txt
import os

os.mkfifo("evil.txt")
open("good.txt", "w").write("good")
