# Runs at the start of every Python interpreter in a cell. Output streams: standard output is a pipe here, which
# Python would buffer in blocks. A deterministic run says when threads change. This directory then leaves sys.path, which looks as it does anywhere else.
import sys

interval = sys._xoptions.get("glovebox_switch_interval")
if interval:
    sys.setswitchinterval(float(interval))
del interval
try:
    sys.stdout.reconfigure(line_buffering=True)
    sys.path.remove(__file__[:-17])  # without "/sitecustomize.py"
except Exception:
    pass
