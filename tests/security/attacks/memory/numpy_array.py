# attack: one huge numpy array
# expect: outcome=memory_limit
# expect-degraded: outcome=memory_limit|program_failed
# limits: memory_bytes=134217728 wall_ms=10000 cpu_ms=10000
import numpy

hoard = numpy.ones(200_000_000)
