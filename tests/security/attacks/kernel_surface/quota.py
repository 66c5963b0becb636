# attack: changes disk quotas
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: quotactl(
from attack import refused

QUOTACTL = 179
refused(QUOTACTL, 0, 0, 0, 0)
