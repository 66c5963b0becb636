# attack: stores gigabytes in access control lists, which the kernel charges to nobody
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# limits: memory_bytes=67108864
import os
import struct

from attack import finish


def entry(tag, permissions, who=0xFFFFFFFF):
    return struct.pack("<HHI", tag, permissions, who)


acl = struct.pack("<I", 2) + entry(1, 6) + entry(2, 4, 1000) * 8185 + entry(4, 4) + entry(0x10, 4) + entry(0x20, 4)
stored = 0
memory = os.memfd_create("attributes")
for number in range(1000):
    directory = f"/tmp/{number}"
    os.mkdir(directory)
    for target, name in ((directory, "access"), (directory, "default"), (memory, "access")):
        try:
            os.setxattr(target, f"system.posix_acl_{name}", acl)
            stored += len(acl)
        except OSError:
            pass
finish("ESCAPED" if stored > 16 << 20 else "BLOCKED", f"{stored} bytes in access lists")
