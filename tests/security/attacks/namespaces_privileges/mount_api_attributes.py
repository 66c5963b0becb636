# attack: makes the root writable with the newest mount call
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: mount_setattr
import struct

from attack import refused

MOUNT_SETATTR, AT_FDCWD, RDONLY = 442, -100, 1
refused(MOUNT_SETATTR, AT_FDCWD, b"/\0", 0, struct.pack("4Q", 0, RDONLY, 0, 0), 32)
