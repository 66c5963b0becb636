# attack: crashes in the hope that the host's crash handler starts, which only a core limit of exactly 1 prevents
# expect: outcome=ok
# expect-stdout: BLOCKED
import resource

from attack import finish

limits = resource.getrlimit(resource.RLIMIT_CORE)
finish("BLOCKED" if limits == (1, 1) else "ESCAPED", f"the core limit is {limits}")
