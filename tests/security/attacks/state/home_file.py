# attack: leaves files in its home, as tools do with their settings
# expect: outcome=ok
# expect-stdout: DONE
# forbid-stdout: ESCAPED
# runs: 2
import os

path = os.path.join(os.path.expanduser("~"), ".profile")
print("ESCAPED" if os.path.exists(path) else "nothing yet")
try:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w").write("left")
except OSError as error:
    print("cannot even write:", error)
print("DONE")
