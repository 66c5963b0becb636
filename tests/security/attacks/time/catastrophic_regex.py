# attack: a regular expression that backtracks for years
# expect: outcome=cpu_limit
# limits: cpu_ms=700 wall_ms=10000
import re

re.match(r"(a+)+$", "a" * 64 + "b")
