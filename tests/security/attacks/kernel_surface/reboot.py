# attack: reboots
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: reboot(
from attack import refused

REBOOT = 169
refused(REBOOT, 0xFEE1DEAD, 672274793, 0x1234567, 0)
