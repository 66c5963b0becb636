"""What the host looks like from outside, to compare before and after hostile runs.

Processes: this process makes itself the reaper of orphans, so whatever outlives the binary that started it becomes
our child. A child that is not a running binary is therefore a leftover, and needs no guessing by name or user.

Everything else is a snapshot: mounts of our namespace, System V objects, entries of the shared temporary
directories that belong to the caller. Descriptors are the business of a process that outlives its runs: a service's
are counted in tests/security/test_long_lived.py.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
SHARED_TEMPORARY = (Path("/tmp"), Path("/dev/shm"), Path("/var/tmp"))


def adopt_orphans() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def _children_of(parent: int) -> list[tuple[int, str, str]]:
    """(pid, state, command name) of each direct child, zombies included."""
    children = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path(f"/proc/{entry}/stat").read_text(errors="replace")
        except OSError:
            continue  # gone meanwhile
        name, rest = stat[stat.index("(") + 1 : stat.rindex(")")], stat[stat.rindex(")") + 2 :].split()
        if int(rest[1]) == parent:
            children.append((int(entry), rest[0], name))
    return children


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass  # gone by now


def orphans(known_before, known_after, grace_s: float) -> list[str]:
    """Living children that are no binary of ours, still there after `grace_s`.

    `known_before` and `known_after` return the ids of binaries running; both are asked around the scan, since
    binaries come and go in other threads. Dead orphans are reaped on the way; those that are reported are killed
    afterwards, so that one leftover is held against one run and not against all that follow.
    """
    deadline = time.monotonic() + grace_s
    while True:
        known = known_before()
        children = _children_of(os.getpid())
        known |= known_after()
        left = {}
        for pid, state, name in children:
            if pid in known:
                continue
            if state in "ZX":
                _reap(pid)
            else:
                left[pid] = f"{name} (pid {pid}, state {state})"
        if not left or time.monotonic() >= deadline:
            for pid in left:
                _kill(pid)
            return list(left.values())
        time.sleep(0.005)


@dataclass(frozen=True)
class HostState:
    mounts: frozenset[str]
    sysv_objects: frozenset[str]
    temporary: frozenset[str]

    @staticmethod
    def look(owner_uid: int) -> "HostState":
        """`owner_uid`: whose files in the shared temporary directories count, besides those named after the product."""
        return HostState(_mounts(), _sysv_objects(), _temporary(owner_uid))

    def grown_since(self, before: "HostState") -> list[str]:
        """What is there now and was not before, one line each."""
        return sorted(f"left: {line}" for line in set(self.lines()) - set(before.lines()))

    def lines(self) -> list[str]:
        lines = [f"mount {line}" for line in self.mounts]
        lines += [f"System V object {line}" for line in self.sysv_objects]
        return lines + [f"temporary file {path}" for path in self.temporary]


def _mounts() -> frozenset[str]:
    # Mount id and parent id are left out: only what is mounted where matters.
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return frozenset(" ".join(line.split(" ")[2:]) for line in lines)


def _sysv_objects() -> frozenset[str]:
    found = set()
    for kind in ("shm", "sem", "msg"):
        try:
            lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
        except OSError:
            continue
        found |= {f"{kind} key {line.split()[0]} id {line.split()[1]}" for line in lines}
    return frozenset(found)


def _temporary(owner_uid: int) -> frozenset[str]:
    found = set()
    for directory in SHARED_TEMPORARY:
        try:
            entries = list(os.scandir(directory))
        except OSError:
            continue
        for entry in entries:
            try:
                owned = owner_uid != 0 and entry.stat(follow_symlinks=False).st_uid == owner_uid
            except OSError:
                continue
            if owned or "glovebox" in entry.name:
                found.add(entry.path)
    return frozenset(found)
