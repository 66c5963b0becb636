# attack: changes the domain of the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: setdomainname
from attack import refused

SETDOMAINNAME = 171
refused(SETDOMAINNAME, b"owned", 5)
