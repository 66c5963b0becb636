# attack: a child in new namespaces of every kind
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: clone(
import signal

from attack import refused

CLONE, EVERY = 56, 0x7E020000
refused(CLONE, EVERY | signal.SIGCHLD, 0, 0, 0, 0)
