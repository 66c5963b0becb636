# attack: watches every file access of the host
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: fanotify_init(
from attack import refused

FANOTIFY_INIT = 300
refused(FANOTIFY_INIT, 0, 0)
