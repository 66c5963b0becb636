"""What an attack left on the host, looked at after each of its runs while others go on beside it.

Runs in flight show nothing on the host but their control groups, which carry the process id of their binary: those are
held against the run whose id they carry, when its binary has ended. Mounts, System V objects and temporary files are
made by no run at all, so whatever is new and stays is a leftover, and is held against the first who sees it.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

from support import host_state
from support.modes import Mode


class Aftermath:
    def __init__(self, mode: Mode):
        self._mode = mode
        self._lock = threading.Lock()
        self._seen = self._look()  # before the attacks, and what was told since

    def left_by(self, pid: int, grace_s: float) -> list[str]:
        """One line for everything that is still there `grace_s` after the binary with this process id has ended."""
        deadline = time.monotonic() + grace_s
        while True:
            found = self._look()
            with self._lock:
                left = sorted(line for line in found - self._seen if not _belongs_to_another(line, pid))
                if not left or time.monotonic() >= deadline:
                    self._seen |= set(left)
                    return left
            time.sleep(0.005)

    def _look(self) -> set[str]:
        found = set(host_state.HostState.look(self._mode.user.uid).lines())
        if self._mode.cgroups:
            found |= {f"cgroup {path}" for path in self._mode.cgroups.below()}
        return found | {f"temporary file {path}" for path in self._mode.temporary.rglob("*")}


def _belongs_to_another(line: str, pid: int) -> bool:
    """glovebox.<process id>.<number> is a run's control group, and so is everything below it."""
    for part in Path(line.removeprefix("cgroup ")).parts if line.startswith("cgroup ") else ():
        words = part.split(".")
        if len(words) == 3 and words[0] == "glovebox" and words[1].isdigit():
            return int(words[1]) != pid
    return False
