"""Sent along with the Python attacks: raw system calls, and the two words that the harness looks for.

A program says BLOCKED only for a refusal it really saw, and ESCAPED when the attack worked. Anything else, such as
a call that failed for a reason of its own, is neither, and the harness counts it against the attack.
"""

import ctypes
import errno
import os
import sys

_libc = ctypes.CDLL(None, use_errno=True)


def syscall(number, *arguments):
    """(value, errno): pointers as ctypes objects or bytes, everything else as a 64-bit number."""
    converted = [argument if not isinstance(argument, int) else ctypes.c_long(argument) for argument in arguments]
    _libc.syscall.restype = ctypes.c_long
    ctypes.set_errno(0)
    value = _libc.syscall(ctypes.c_long(number), *converted)
    return value, ctypes.get_errno() if value == -1 else 0


def finish(word, detail=""):
    print(word, detail, flush=True)
    os._exit(0)


def judge(value, code, *accepted):
    """Ends the program: a success is an escape, one of the accepted errors is a refusal."""
    if value != -1:
        finish("ESCAPED", f"the call returned {value}")
    name = errno.errorcode.get(code, str(code))
    finish("BLOCKED" if code in accepted else "UNCLEAR", name)


def refused(number, *arguments, accepted=(errno.EPERM,)):
    judge(*syscall(number, *arguments), *accepted)


def cannot_read(*paths):
    """Each path must be missing, unreadable or empty; what can be read is printed for the harness to see."""
    for path in paths:
        try:
            content = os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(4096)
        except OSError as error:
            print(path, errno.errorcode.get(error.errno))
            continue
        if content:
            finish("ESCAPED", f"{path}: {content!r}")
    finish("BLOCKED", "nothing readable")


def cannot_write(*paths):
    """Each path must refuse to be opened for writing or created."""
    for path in paths:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        except OSError as error:
            print(path, errno.errorcode.get(error.errno))
            continue
        finish("ESCAPED", f"{path} can be written")
    finish("BLOCKED", "nothing writable")
