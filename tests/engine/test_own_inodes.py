"""What a cell locks or watches is its own: the host's files and devices are there, but not their inodes.

Whoever closes a file walks the locks on its inode, so a cell that could lock the host's /dev/null would slow down every
process of the host; and a watch on it would show what they do.
"""

from __future__ import annotations

import fcntl
import json
import os
import time

import pytest

DEVICES = [f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom")]
FILES = ["/etc/ld.so.cache", "/usr/bin/env", "/usr/lib/os-release", "/etc/alternatives/awk"]

LOOK = """
import json, os, sys
print(json.dumps({path: (lambda s: [s.st_dev, s.st_ino, s.st_rdev])(os.stat(path)) for path in sys.argv[1:]}))
"""

HOLD = """
import fcntl, os, sys, time
for path in sys.argv[1:]:
    fd = os.open(path, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.lockf(os.open(path, os.O_RDONLY), fcntl.LOCK_SH | fcntl.LOCK_NB, 1, 7)
print("HELD", flush=True)
time.sleep(3)
"""


def of_host(path):
    status = os.stat(path)
    return [status.st_dev, status.st_ino, status.st_rdev]


def own_devices(mode):
    """Only root can make devices; for others the host's are bound."""
    return DEVICES if mode.name in ("root", "warm") else []


def test_files_and_devices_have_inodes_of_their_own(glovebox, mode):
    files = [path for path in FILES if os.path.exists(path)]
    paths = files + DEVICES
    result = glovebox.result("python", LOOK, *paths)
    assert result["outcome"] == "ok", result
    seen = json.loads(result["stdout"])
    for path in DEVICES:
        assert seen[path][2] == of_host(path)[2], f"{path} is another device"
    if "image_overlay" not in result["provenance"]["enforced"]:
        files = []
    for path in files + own_devices(mode):
        assert seen[path][:2] != of_host(path)[:2], f"{path} is the host's inode"


def test_locks_of_a_cell_are_nothing_to_the_host(glovebox, mode):
    paths = ["/etc/ld.so.cache", *own_devices(mode)]
    process = glovebox.start("run", "-l", "python", "-c", HOLD, *paths)
    try:
        assert process.stdout.readline() == b"HELD\n", process.stderr.read()
        for path in paths:
            fd = os.open(path, os.O_RDONLY)
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(fd)
    finally:
        process.terminate()
        process.communicate()


def test_what_the_host_does_with_its_devices_is_not_seen(glovebox, mode):
    if not own_devices(mode):
        pytest.skip("only root can make devices")
    watch = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
notify = libc.inotify_init1(os.O_NONBLOCK)
for path in sys.argv[1:]:
    assert libc.inotify_add_watch(notify, path.encode(), 0xFFF) >= 0, path
    os.close(os.open(path, os.O_RDONLY))
    assert os.read(notify, 65536), "its own steps are seen"
print("READY", flush=True)
time.sleep(1)
try:
    print(len(os.read(notify, 65536)))
except BlockingIOError:
    print(0)
"""
    process = glovebox.start("run", "-l", "python", "-c", watch, *DEVICES, "/etc/ld.so.cache")
    assert process.stdout.readline() == b"READY\n", process.stderr.read()
    for _ in range(50):
        with open("/dev/null", "wb") as nothing:
            nothing.write(b"x")
        os.close(os.open("/etc/ld.so.cache", os.O_RDONLY))
        time.sleep(0.01)
    out, err = process.communicate()
    assert out == b"0\n", (out, err)
