# attack: renames without pause while the run is killed
# expect: outcome=timeout
# limits: wall_ms=800
import os

os.makedirs("a/b/c")
while True:
    os.rename("a", "z")
    os.rename("z", "a")
