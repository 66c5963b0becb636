# Runs at the start of every Python interpreter in a cell. Output streams: standard output is a pipe here, which
# Python would buffer in blocks. This directory then leaves sys.path, which looks as it does anywhere else, and a
# sitecustomize of the distribution, which this one hides, has its turn. Kept short: it is compiled at every start.
import sys
from _frozen_importlib_external import PathFinder

try:
    sys.stdout.reconfigure(line_buffering=True)
    sys.path.remove(__file__[:-17])  # without "/sitecustomize.py"
    # Only the image's own: no file that was passed in becomes start-up code.
    spec = PathFinder.find_spec("sitecustomize", [entry for entry in sys.path if entry[:5] == "/usr/"])
    if spec:
        spec.loader.exec_module(sys.modules[__name__])
except Exception:
    pass
