# attack: links to the magic files of processes, which mean someone else when the supervisor opens them
# expect: outcome=ok
# artifacts: *
# expect-artifacts: none
import os

for number, target in enumerate(("/proc/self/environ", "/proc/1/root/etc/shadow", "/proc/self/fd/3")):
    os.symlink(target, f"link{number}")
