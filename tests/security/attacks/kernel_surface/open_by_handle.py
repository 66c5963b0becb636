# attack: opens a file of the host by its inode number, around every path check
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: open_by_handle_at(
from attack import refused

OPEN_BY_HANDLE_AT = 304
refused(OPEN_BY_HANDLE_AT, -100, b"\x08\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0", 0)
