# attack: changes the configuration
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import cannot_write

cannot_write("/etc/x", "/etc/passwd", "/etc/ld.so.preload", "/etc/ld.so.cache", "/etc/hosts", "/etc/nsswitch.conf")
