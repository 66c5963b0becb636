# attack: reads everything beside its program for settings or secrets of the supervisor
# expect: outcome=ok
# expect-stdout: DONE
import os

for directory, _, names in os.walk("/glovebox"):
    for name in names:
        path = os.path.join(directory, name)
        print(path)
        if os.path.basename(path) != "main.py":
            print(open(path, "rb").read()[:20_000])
print("DONE")
