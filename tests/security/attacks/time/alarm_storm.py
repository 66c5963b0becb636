# attack: a timer that fires as fast as the kernel allows
# expect: outcome=timeout
# limits: wall_ms=1000
import signal

signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.000001, 0.000001)
while True:
    signal.pause()
