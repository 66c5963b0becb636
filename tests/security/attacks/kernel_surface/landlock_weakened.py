# attack: stacks rule sets of its own, hoping that the last one wins
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import struct

from attack import cannot_write, syscall

LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF = 444, 446
for _ in range(20):
    rules, _ = syscall(LANDLOCK_CREATE_RULESET, struct.pack("Q", 1), 8, 0)
    if rules < 0 or syscall(LANDLOCK_RESTRICT_SELF, rules, 0)[0] < 0:
        break
cannot_write("/x", "/usr/x", "/etc/x", "/glovebox/x")
