# attack: measures the whole machine
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: perf_event_open(
from attack import refused

PERF_EVENT_OPEN = 298
refused(PERF_EVENT_OPEN, bytes(128), -1, 0, -1, 0)
