# Runs at the start of every Python interpreter in a cell. Output streams: standard output is a pipe here, which
# Python would buffer in blocks. This directory then leaves sys.path, which looks as it does anywhere else.
import sys

try:
    sys.stdout.reconfigure(line_buffering=True)
    sys.path.remove(__file__[:-17])  # without "/sitecustomize.py"
except Exception:
    pass
