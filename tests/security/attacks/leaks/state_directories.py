# attack: looks into the directories in which services keep state
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_read

cannot_read("/var/log", "/var/lib", "/var/spool", "/var/tmp", "/var/cache", "/run", "/boot", "/opt", "/lost+found")
