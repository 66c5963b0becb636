# attack: a hard link to a file of the image
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# artifacts: *.txt
# expect-artifacts: none
import os

for path in ("/etc/passwd", "/usr/bin/env", "/glovebox/main.py"):
    try:
        os.link(path, "evil.txt")
        print("ESCAPED", path)
        break
    except OSError as error:
        print(error)
else:
    print("BLOCKED")
