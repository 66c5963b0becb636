# attack: takes huge pages, which memory limits do not count
# expect: outcome=ok
# expect-stdout: BLOCKED
# limits: memory_bytes=67108864
import errno

from attack import finish, syscall

SYS_MMAP, SYS_SHMGET, SYS_MEMFD_CREATE = 9, 29, 319
MAP_PRIVATE_ANONYMOUS, MAP_HUGETLB = 0x22, 0x40000
IPC_CREAT, SHM_HUGETLB = 0o1000, 0o4000
SIZE = 2 << 20

descriptor, code = syscall(SYS_MEMFD_CREATE, b"huge\0", 4)  # MFD_HUGETLB
if descriptor >= 0:
    finish("ESCAPED", "a memory file of huge pages")
segment, code = syscall(SYS_SHMGET, 0, SIZE, IPC_CREAT | SHM_HUGETLB | 0o600)
if segment >= 0:
    finish("ESCAPED", "a segment of huge pages")
# Most hosts keep no huge pages, so that the kernel says ENOMEM by itself; success is what must never be.
address, code = syscall(SYS_MMAP, 0, SIZE, 3, MAP_PRIVATE_ANONYMOUS | MAP_HUGETLB, -1, 0)
finish("ESCAPED" if address != -1 else "BLOCKED", errno.errorcode.get(code, ""))
