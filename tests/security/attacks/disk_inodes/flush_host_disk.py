# attack: makes the host's disk flush its cache in a loop, through a file of the image that it can only read
# expect: outcome=ok
# expect-stdout: BLOCKED
import os
import statistics
import time

from attack import finish

MUCH_MORE = 30  # times the cost of a call that does nothing


def median_ns(call):
    samples = []
    for _ in range(500):
        before = time.perf_counter_ns()
        call()
        samples.append(time.perf_counter_ns() - before)
    return statistics.median(samples)


file = os.open("/usr/bin/env", os.O_RDONLY)
nothing = median_ns(os.getppid)
flush = median_ns(lambda: os.fsync(file))
finish("ESCAPED" if flush > MUCH_MORE * nothing else "BLOCKED", f"{flush} ns against {nothing} ns")
