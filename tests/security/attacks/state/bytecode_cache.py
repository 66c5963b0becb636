# attack: leaves poisoned bytecode where Python caches it
# expect: outcome=ok
# expect-stdout: LEFT
# forbid-stdout: ESCAPED
# runs: 2
import glob
import importlib.util
import os

target = importlib.util.find_spec("colorsys")
cached = target.cached
try:
    before = open(cached, "rb").read()
except OSError:
    before = b""
if b"state-of-an-earlier-run" in before:
    print("ESCAPED")
for path in (cached, "/tmp/colorsys.pyc", "/work/colorsys.py"):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "wb").write(b"# state-of-an-earlier-run")
    except OSError:
        continue
if b"state-of-an-earlier-run" in (open(cached, "rb").read() if glob.glob(cached) else b""):
    print("ESCAPED the image was changed")
print("LEFT")
