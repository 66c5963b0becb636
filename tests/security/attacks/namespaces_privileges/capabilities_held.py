# attack: finds a capability that was not dropped
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import finish

held = {}
for line in open("/proc/self/status"):
    name, _, value = line.partition(":")
    if name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        held[name] = int(value, 16)
finish("BLOCKED" if len(held) == 4 and not any(held.values()) else "ESCAPED", str(held))
