# attack: installs a filter that allows everything, hoping that the last one wins
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# expect-denial: unshare(
import ctypes
import struct

from attack import refused, syscall

PRCTL, PR_SET_SECCOMP, FILTER, UNSHARE, CLONE_NEWUSER = 157, 22, 2, 272, 0x10000000
allow = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000))
syscall(PRCTL, PR_SET_SECCOMP, FILTER, struct.pack("HxxxxxxQ", 1, ctypes.addressof(allow)), 0, 0)
refused(UNSHARE, CLONE_NEWUSER)
