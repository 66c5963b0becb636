# attack: executes itself for ever, always a new program under the same process id
# expect: outcome=timeout
# limits: wall_ms=1000
import os

os.execv("/usr/bin/python3", ["python3", "-I", "-S", __file__])
