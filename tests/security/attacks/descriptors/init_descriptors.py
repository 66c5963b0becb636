# attack: reaches into the descriptors of the cell's process 1 and of its own parent
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import cannot_read

paths = [f"/proc/{pid}/{part}" for pid in (1, os.getppid()) for part in ("fd", "fdinfo", "root", "cwd", "map_files")]
cannot_read(*paths)
