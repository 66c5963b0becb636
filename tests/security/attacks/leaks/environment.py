# attack: prints its environment and that of every process it sees
# expect: outcome=ok
# expect-stdout: DONE
# forbid-stdout: GLOVEBOX_TEST_SECRET
# forbid-stdout: AWS_SECRET_ACCESS_KEY
import glob
import os

print(dict(os.environ))
for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        print(path, open(path, "rb").read())
    except OSError as error:
        print(error)
print("DONE")
