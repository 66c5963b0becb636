# attack: gives a file of its own the capability to do anything
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os
import struct

from attack import finish

open("/work/tool", "w").close()
value = struct.pack("<5I", 0x02000001, 0xFFFFFFFF, 0, 0x1FF, 0)
try:
    os.setxattr("/work/tool", "security.capability", value)
except OSError as error:
    finish("BLOCKED", str(error))
finish("ESCAPED")
