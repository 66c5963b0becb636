# attack: installs a module into every directory that Python searches
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
import os
import sys

try:
    import state_of_an_earlier_run  # noqa: F401

    print("ESCAPED")
except ImportError:
    pass
for directory in [*sys.path, "/usr/lib/python3/dist-packages", "/usr/local/lib/python3.11/dist-packages"]:
    try:
        open(os.path.join(directory, "state_of_an_earlier_run.py"), "w").write("")
    except OSError:
        continue
print("LEFT")
