# attack: waits for a child that sleeps for ever
# expect: outcome=timeout
# limits: wall_ms=800
import subprocess

subprocess.run(["/bin/sleep", "1000000"])
