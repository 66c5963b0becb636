# attack: stops its whole process group, hoping that the supervisor's helper is in it
# expect: outcome=timeout
# limits: wall_ms=800
import os
import signal

os.killpg(0, signal.SIGSTOP)
