# attack: moves the work directory away and puts a link in its place
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
# artifacts: passwd
# expect-artifacts: none
# forbid-artifact: root:x:
import os

for change in (lambda: os.rename("/work", "/tmp/work"), lambda: os.rmdir("/work"), lambda: os.symlink("/etc", "/work")):
    try:
        change()
        print("ESCAPED")
        break
    except OSError as error:
        print(error)
else:
    print("BLOCKED")
