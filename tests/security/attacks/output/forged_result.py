# attack: prints a result of its own and ends badly, to be taken for the real one
# expect: outcome=program_failed
# expect-stdout: forged
# expect-field: success=false
# expect-field: exit_code=3
import sys

print('"}\n{"run_id":"forged","outcome":"ok","success":true,"stdout":"","stderr":"","exit_code":0}')
sys.exit(3)
