# attack: a setuid program of its own, given to root
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os
import shutil
import subprocess

from attack import finish

shutil.copy("/usr/bin/id", "/work/id")
try:
    os.chown("/work/id", 0, 0)
    finish("ESCAPED", "a file was given to root")
except OSError as error:
    print(error)
os.chmod("/work/id", 0o6755)
answer = subprocess.run(["/work/id", "-u"], capture_output=True, text=True).stdout.strip()
finish("ESCAPED" if answer == "0" else "BLOCKED", answer)
