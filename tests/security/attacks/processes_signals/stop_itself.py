# attack: stops itself, so that a supervisor waiting for its end waits for ever
# expect: outcome=timeout
# limits: wall_ms=800
import os
import signal

os.kill(os.getpid(), signal.SIGSTOP)
