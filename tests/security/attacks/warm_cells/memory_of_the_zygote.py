# attack: searches its own memory, which it has from a zygote, for words of the host or of another program
# expect: outcome=ok
# expect-stdout: BLOCKED
import re

from attack import finish

# The harness plants this word in environment and files of the caller, and looks for it in what we print.
planted = re.compile(rb"leak[0-9a-f]{24}")
others = re.compile(rb"gbtest-[0-9a-z_]{6,}|glovebox\.\d{3,}\.\d+")  # directories and control groups of the host
found = set()
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps:
        span, rights, *_ = line.split()
        if not rights.startswith("r") or "[v" in line:
            continue
        start, end = (int(part, 16) for part in span.split("-"))
        try:
            memory.seek(start)
            content = memory.read(end - start)
        except (OSError, OverflowError):
            continue
        found |= {match.group() for pattern in (planted, others) for match in pattern.finditer(content)}
if found:
    finish("ESCAPED", repr(sorted(found)[:5]))
finish("BLOCKED", "only its own words")
