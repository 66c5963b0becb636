# attack: hands over to a fresh process all the time, so that no process lives long enough to be caught
# expect: outcome=timeout|process_limit
# limits: wall_ms=1000
import os
import signal

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
main = os.getpid()
if os.fork() == 0:
    while True:
        if os.fork():
            os._exit(0)
signal.pause()
