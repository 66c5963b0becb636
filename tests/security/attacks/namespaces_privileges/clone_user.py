# attack: a child in a new user namespace, with the older call
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: clone(
import signal

from attack import refused

CLONE, CLONE_NEWUSER = 56, 0x10000000
refused(CLONE, CLONE_NEWUSER | signal.SIGCHLD, 0, 0, 0, 0)
