# attack: leaves a file in /dev/shm for the next run to find
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
import os

path = "/dev/shm/state-of-an-earlier-run"
print("ESCAPED" if os.path.exists(path) else "nothing yet")
open(path, "w").write("left")
print("LEFT" if os.path.exists(path) else "could not leave it")
