# attack: joins the session keyring
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: keyctl(
from attack import refused

KEYCTL = 250
refused(KEYCTL, 0, -3, 1, 0, 0)
