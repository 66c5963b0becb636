# attack: a million lines of made-up traceback, to keep the parser of errors busy
# expect: outcome=program_failed
# expect-field: exit_code=1
import sys

frame = '  File "/glovebox/main.py", line 999999999999999999999, in f\n    ^^^^\n'
sys.stderr.write("Traceback (most recent call last):\n" + frame * 15_000)
sys.stderr.write("During handling of the above exception, another exception occurred:\n" * 1000 + "E: " + "(" * 5000)
sys.exit(1)
