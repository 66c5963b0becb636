# attack: refused calls of hundreds of different kinds, to make the list of denials endless
# expect: outcome=ok
# expect-stdout: DONE
# forbid-stdout: ESCAPED
from attack import finish, syscall

SOCKET, PRCTL, IOCTL, PERSONALITY = 41, 157, 16, 135
for number in range(300):
    for value, code in (
        syscall(SOCKET, 2 + number % 40, number, number),
        syscall(PERSONALITY, 0x100000 + number),
        syscall(PRCTL, 100_000 + number, 0, 0, 0, 0),
        syscall(IOCTL, 0, 0x7000_0000 + number, 0),
    ):
        if value >= 0:
            finish("ESCAPED", "a call got through")
print("DONE")
