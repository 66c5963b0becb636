# attack: leaves a key in the kernel's keyrings
# expect: outcome=ok
# expect-stdout: DONE
# forbid-stdout: ESCAPED
# runs: 2
from attack import finish, syscall

ADD_KEY, REQUEST_KEY, USER_KEYRING = 248, 249, -4
if syscall(REQUEST_KEY, b"user\0", b"state\0", 0, USER_KEYRING)[0] >= 0:
    finish("ESCAPED", "the key of the earlier run")
value, code = syscall(ADD_KEY, b"user\0", b"state\0", b"left", 4, USER_KEYRING)
finish("DONE" if value >= 0 or code else "UNCLEAR", str(code))
