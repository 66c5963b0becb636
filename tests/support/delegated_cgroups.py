"""Cgroups handed to a user for a test session, on version 1, version 2 and hybrid hosts.

Each controller is looked up by itself in /proc/self/mountinfo and /proc/self/cgroup. Below this process's own group
(on version 2: below the nearest ancestor that can pass controllers on) one directory is made per tree, and given to
the user. Version 2 forbids processes in a group that passes controllers on, so the caller starts in a leaf of it:

    <own group>/<label>/           owned by the user, controllers enabled
    <own group>/<label>/caller/    where the binary starts (version 2 with controllers only)

The binary may create what it likes below; `below()` names what is there.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

WANTED = ("memory", "pids", "cpu", "cpuacct")
NEEDED = ("memory", "pids", "cpu")


@dataclass(frozen=True)
class Tree:
    version: int
    controllers: tuple[str, ...]  # of the wanted ones; may be empty for version 2 on a hybrid host
    own: Path  # this process's group


def trees() -> list[Tree]:
    own_paths = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        own_paths[names] = path
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, right = line.split(" - ", 1)
        root, mount_point = left.split()[3:5]
        kind, _, options = right.split(" ", 2)
        if kind == "cgroup2":
            own = _below(mount_point, root, own_paths.get(""))
            if own is not None:
                available = (own / "cgroup.controllers").read_text().split()
                found.append(Tree(2, tuple(name for name in WANTED if name in available), own))
        elif kind == "cgroup":
            held = tuple(name for name in WANTED if name in options.split(","))
            path = next((path for names, path in own_paths.items() if held and held[0] in names.split(",")), None)
            own = _below(mount_point, root, path)
            if held and own is not None:
                found.append(Tree(1, held, own))
    return found


def _below(mount_point: str, root: str, path: str | None) -> Path | None:
    """Where the group `path` is seen, if this mount shows it."""
    if path is None:
        return None
    relative = os.path.relpath(path, root)
    if relative.startswith(".."):
        return None
    group = Path(mount_point) / relative
    return group if group.is_dir() else None


class Unavailable(Exception):
    """Says which capability of the host is missing."""


class DelegatedCgroups:
    def __init__(self, uid: int, gid: int, label: str):
        self.groups: list[Path] = []
        self.entry_files: list[Path] = []  # writing "0" into each puts the writer into the group
        self._made: list[Path] = []
        seen: set[str] = set()
        try:
            for tree in trees():
                if tree.version == 1:
                    self._delegate_v1(tree, uid, gid, label)
                    seen |= set(tree.controllers)
                elif tree.controllers:
                    seen |= self._delegate_v2(tree, uid, gid, label)
                else:
                    self._delegate_bare_v2(tree, uid, gid, label)
            missing = [name for name in NEEDED if name not in seen]
            if missing:
                raise Unavailable(f"cgroup controllers {', '.join(missing)} (cannot be handed to a user here)")
        except OSError as error:
            self.remove()
            raise Unavailable(f"writable cgroups ({error})") from error
        except Unavailable:
            self.remove()
            raise

    def enter_prefix(self) -> tuple[str, ...]:
        """A command that enters the groups, then executes what follows."""
        writes = "".join(f'echo 0 > "{path}" && ' for path in self.entry_files)
        return ("/bin/sh", "-c", f'{writes}exec "$@"', "enter-cgroups")

    def below(self) -> set[str]:
        """Every group below the delegated ones; they may come and go meanwhile."""
        walks = (os.walk(group) for group in self.groups)
        return {os.path.join(place, name) for walk in walks for place, names, _ in walk for name in names}

    def remove(self) -> None:
        for group in self.groups:
            _kill_all(group)
            for path in sorted((path for path in group.rglob("*") if path.is_dir()), reverse=True):
                _remove_group(path)
        for path in reversed(self._made):
            _remove_group(path)
        self._made.clear()

    def _make(self, path: Path, uid: int, gid: int, files: tuple[str, ...]) -> Path:
        path.mkdir()
        self._made.append(path)
        os.chown(path, uid, gid)
        for name in files:
            if (path / name).exists():
                os.chown(path / name, uid, gid)
        return path

    def _delegate_v1(self, tree: Tree, uid: int, gid: int, label: str) -> None:
        group = self._make(tree.own / label, uid, gid, ("cgroup.procs", "tasks"))
        self.groups.append(group)
        self.entry_files.append(group / "tasks")

    def _delegate_bare_v2(self, tree: Tree, uid: int, gid: int, label: str) -> None:
        group = self._make(tree.own / label, uid, gid, ("cgroup.procs", "cgroup.threads", "cgroup.subtree_control"))
        self.groups.append(group)
        self.entry_files.append(group / "cgroup.procs")

    def _delegate_v2(self, tree: Tree, uid: int, gid: int, label: str) -> set[str]:
        parent = _passing_on(tree)
        files = ("cgroup.procs", "cgroup.threads", "cgroup.subtree_control")
        group = self._make(parent / label, uid, gid, files)
        self.groups.append(group)
        enabled = [name for name in tree.controllers if name in (group / "cgroup.controllers").read_text().split()]
        (group / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in enabled))
        leaf = self._make(group / "caller", uid, gid, files)
        self.entry_files.append(leaf / "cgroup.procs")
        return set(enabled)


def _passing_on(tree: Tree) -> Path:
    """The nearest group at or above our own that hands the needed controllers to its children."""
    group = tree.own
    wanted = [name for name in tree.controllers if name != "cpuacct"]
    while (group / "cgroup.subtree_control").exists():
        control = group / "cgroup.subtree_control"
        try:
            control.write_text(" ".join(f"+{name}" for name in wanted))
        except OSError:
            pass  # it holds processes, or is not ours: perhaps it is enabled already
        if all(name in control.read_text().split() for name in wanted):
            return group
        group = group.parent
    raise Unavailable(f"a cgroup that passes on {', '.join(wanted)}")


def _kill_all(group: Path) -> None:
    for path in [group, *(path for path in group.rglob("*") if path.is_dir())]:
        try:
            pids = [int(pid) for pid in (path / "cgroup.procs").read_text().split()]
        except OSError:
            continue
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def _remove_group(path: Path) -> None:
    """A group can be removed some moments after its last process died."""
    for _ in range(200):
        try:
            path.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)
