# attack: many names of the greatest length, with awkward bytes in them
# expect: outcome=ok
# expect-stdout: LEFT
# artifacts: *.txt
# expect-artifacts: none
import os

for number in range(500):
    name = b"%04d" % number + bytes([1 + number % 46]) * 251
    os.close(os.open(b"/work/" + name, os.O_CREAT | os.O_WRONLY))
print("LEFT")
