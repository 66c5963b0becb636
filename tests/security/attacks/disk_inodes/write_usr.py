# attack: changes the programs of the image, which are the host's
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_write

cannot_write("/usr/x", "/usr/bin/x", "/usr/bin/env", "/usr/lib/x", "/usr/local/bin/x", "/usr/bin/python3")
