# attack: ignores the signal that announces the CPU limit
# expect: outcome=cpu_limit
# limits: cpu_ms=700 wall_ms=10000
import signal

signal.signal(signal.SIGXCPU, signal.SIG_IGN)
signal.signal(signal.SIGALRM, signal.SIG_IGN)
while True:
    pass
