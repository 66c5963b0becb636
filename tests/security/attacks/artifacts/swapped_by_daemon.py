# attack: a daemon swaps a file for a link while the artifacts are collected
# expect: outcome=ok
# artifacts: *.txt
# expect-artifacts: [swap.txt]
# forbid-artifact: root:x:
import os
import time

open("file", "w").write("honest")
os.symlink("/etc/passwd", "link")
if os.fork() == 0:
    os.setsid()
    while True:
        os.link("file", "next")
        os.rename("next", "swap.txt")
        os.symlink("/etc/passwd", "next")
        os.rename("next", "swap.txt")
time.sleep(0.2)
