# attack: keeps an artifact locked and mapped while the run ends
# expect: outcome=ok
# artifacts: *.bin
# expect-artifacts: held.bin
import fcntl
import mmap
import os

file = os.open("held.bin", os.O_RDWR | os.O_CREAT)
os.write(file, b"x" * 8192)
fcntl.flock(file, fcntl.LOCK_EX)
mapping = mmap.mmap(file, 8192)
mapping[0] = 65
os._exit(0)
