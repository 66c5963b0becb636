# attack: ignores every signal and sleeps past its wall limit
# expect: outcome=timeout
# forbid-stdout: ESCAPED
# limits: wall_ms=800
import signal
import time

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
time.sleep(30)
print("ESCAPED")
