# attack: makes a handle of a file
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: name_to_handle_at(
from attack import refused

NAME_TO_HANDLE_AT = 303
refused(NAME_TO_HANDLE_AT, -100, b"/\0", bytes(136), bytes(8), 0)
