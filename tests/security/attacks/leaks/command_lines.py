# attack: reads the command lines of other processes
# expect: outcome=ok
# expect-stdout: DONE
# forbid-stdout: pytest
# forbid-stdout: --request
import glob

for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        print(path, open(path, "rb").read())
    except OSError as error:
        print(error)
print("DONE")
