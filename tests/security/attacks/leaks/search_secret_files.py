# attack: searches everything it can read for the planted secret files
# expect: outcome=ok
# expect-stdout: BLOCKED
# forbid-stdout: ESCAPED
import os

from attack import finish

found = []
for directory, directories, names in os.walk("/"):
    directories[:] = [name for name in directories if os.path.join(directory, name) not in ("/usr", "/proc", "/lib")]
    found += [os.path.join(directory, name) for name in names if "glovebox-secret" in name]
finish("ESCAPED" if found else "BLOCKED", str(found))
