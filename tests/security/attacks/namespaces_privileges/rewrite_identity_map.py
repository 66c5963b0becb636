# attack: rewrites its own identity map
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
from attack import finish

for path, content in (("setgroups", "allow"), ("gid_map", "0 0 1"), ("uid_map", "0 0 1")):
    try:
        with open(f"/proc/self/{path}", "w") as file:
            file.write(content)
    except OSError:
        continue
    finish("ESCAPED", path)
finish("BLOCKED")
