# attack: tightens its own limits, in case the next run inherits them
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
import resource

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
if soft <= 32:
    print("ESCAPED")
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
print("LEFT")
