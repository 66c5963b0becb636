# attack: looks into homes, keys and histories
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_read

cannot_read("/root", "/home", "/root/.ssh/id_rsa", "/root/.bash_history", "/root/.aws/credentials", "/srv", "/mnt")
