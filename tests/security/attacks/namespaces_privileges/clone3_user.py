# attack: a child in a new user namespace, with the call whose flags no filter can read
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import errno
import struct

from attack import refused

CLONE3, CLONE_NEWUSER = 435, 0x10000000
arguments = struct.pack("11Q", CLONE_NEWUSER, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)
refused(CLONE3, arguments, 88, accepted=(errno.ENOSYS, errno.EPERM))
