# attack: switches core dumps on, so that the host's crash handler reads what it left
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: prlimit64
import resource

from attack import finish

try:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
except (ValueError, OSError) as error:
    finish("BLOCKED", str(error))
finish("ESCAPED")
