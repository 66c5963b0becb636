# attack: writes the file through which a result value would travel, as a link to the host
# expect: outcome=ok
# expect-field: results=[]
import os

for name in (".glovebox-value.json", "glovebox-value.json"):
    os.symlink("/etc/passwd", "/tmp/" + name)
