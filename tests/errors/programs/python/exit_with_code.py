import sys

print("bad input", file=sys.stderr)
sys.exit(3)
