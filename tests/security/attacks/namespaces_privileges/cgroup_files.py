# attack: finds the files of its own cgroup, to raise its limits or to leave it
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

for directory, directories, names in os.walk("/"):
    directories[:] = [name for name in directories if os.path.join(directory, name) not in ("/usr", "/proc", "/lib")]
    if {"cgroup.procs", "tasks", "release_agent", "memory.max"} & set(names):
        finish("ESCAPED", directory)
finish("BLOCKED")
