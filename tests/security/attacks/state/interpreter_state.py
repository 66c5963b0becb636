# attack: changes the interpreter itself, in case the next run gets the same one
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
import builtins
import random
import sys

if hasattr(builtins, "state_of_an_earlier_run") or "state_of_an_earlier_run" in sys.modules:
    print("ESCAPED")
builtins.state_of_an_earlier_run = True
sys.modules["state_of_an_earlier_run"] = sys
random.seed(1)
sys.setrecursionlimit(50)
print("LEFT")
