"""Calls the glovebox binary the way a program would: a request in on stdin, a result out on stdout.

A `Caller` says who starts the binary and from where (a user, a cgroup, an environment); a `Glovebox` is the binary
as started by that caller. Nothing here judges a result: a run that hangs or prints garbage comes back as a `Run`
with `result` set to None, so that a test can say what happened.

Environment:
  GLOVEBOX_BIN            the binary (default: build/release/bin/glovebox in this repository)
  GLOVEBOX_TEST_SLOWNESS  factor on every time limit and time bound, for emulated machines (default 1)
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

# Limits that measure time: only these grow on a slow machine.
TIME_LIMITS = ("wall_ms", "cpu_ms")
DEFAULT_WALL_MS = 5_000
DEFAULT_CPU_MS = 5_000

# How long past its wall limit a run may go before it counts as hung and is killed from here.
HUNG_AFTER_S = 60.0


def slowness() -> float:
    return max(1.0, float(os.environ.get("GLOVEBOX_TEST_SLOWNESS", "1")))


def binary_path() -> Path:
    return Path(os.environ.get("GLOVEBOX_BIN") or REPOSITORY / "build/release/bin/glovebox").absolute()


@dataclass(frozen=True)
class Caller:
    """Who starts the binary. `prefix` is a command that becomes the binary (it ends in exec)."""

    name: str
    prefix: tuple[str, ...] = ()
    env: dict[str, str] | None = None  # None: this process's own
    cwd: Path | None = None
    degraded: bool = False
    warm: bool = False  # runs in warm cells where one fits


@dataclass
class Run:
    result: dict | None  # None: no readable result came out
    exit_status: int
    elapsed_s: float
    raw_stdout: bytes
    raw_stderr: bytes
    hung: bool = False
    pid: int = 0  # of the binary
    expected_warm: bool = False  # the caller wants warm cells, and one fits the request

    @property
    def unexpectedly_cold(self) -> bool:
        """A run that took place, but not in the first warm cell that it was given."""
        took_place = self.result is not None and bool(self.result["attempts"])
        return self.expected_warm and took_place and [each["path"] for each in self.result["attempts"]] != ["warm"]

    @property
    def outcome(self) -> str:
        return self.result["outcome"] if self.result else "no result"

    @property
    def stdout(self) -> str:
        return self.result["stdout"] if self.result else ""

    @property
    def stderr(self) -> str:
        return self.result["stderr"] if self.result else ""

    def describe(self) -> str:
        """For an assertion message: short, but with all that one needs to understand a failure."""
        if self.result is None:
            state = "hung and was killed" if self.hung else f"exit status {self.exit_status}"
            return (
                f"no result ({state})\n  raw stdout: {self.raw_stdout[:2000]!r}\n"
                f"  raw stderr: {self.raw_stderr[:2000]!r}"
            )
        keys = ("outcome", "attempts", "exit_code", "signal", "error", "denials", "metrics")
        shown = {key: self.result.get(key) for key in keys}
        return (
            f"{json.dumps(shown, indent=1)}\n  stdout: {self.stdout[:1500]!r}\n  stderr: {self.stderr[:1500]!r}\n"
            f"  elapsed: {self.elapsed_s:.3f} s"
        )


def input_file(path: str, content: bytes | str) -> dict:
    """An entry of the request's `files`; bytes travel as base64."""
    if isinstance(content, str):
        return {"path": path, "content": content}
    return {"path": path, "content": base64.b64encode(content).decode(), "encoding": "base64"}


def build_request(language: str, code: str, *, limits: dict[str, int] | None = None, **fields) -> dict:
    """A request with time limits scaled to the machine and the cache off: a test wants a run, not a memory of one."""
    scaled = {"wall_ms": DEFAULT_WALL_MS, "cpu_ms": DEFAULT_CPU_MS} | (limits or {})
    for name in TIME_LIMITS:
        scaled[name] = int(scaled[name] * slowness())
    return {"language": language, "code": code, "limits": scaled, "cache": "off"} | fields


@dataclass
class Glovebox:
    binary: Path
    caller: Caller = field(default_factory=lambda: Caller("plain"))
    # Process ids of binaries running right now: whatever else is a child of this process was left behind by a run.
    running: set[int] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, request: dict, *, artifacts: Path | None = None) -> Run:
        command = [*self.caller.prefix, str(self.binary), "run", "--request", "-", "--json"]
        if self.caller.degraded:
            command.append("--degraded")
        if self.caller.warm:
            command.append("--warm")
        if artifacts is not None:
            command += ["--artifacts", str(artifacts)]
        wall_s = request.get("limits", {}).get("wall_ms", DEFAULT_WALL_MS) / 1000
        started = time.monotonic()
        with self._lock:  # a new child must never be seen before it is known
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self.caller.env,
                cwd=self.caller.cwd,
            )
            self.running.add(process.pid)
        hung = False
        try:
            out, err = process.communicate(json.dumps(request).encode(), timeout=wall_s + HUNG_AFTER_S * slowness())
        except subprocess.TimeoutExpired:
            hung = True
            process.kill()
            out, err = process.communicate()
        elapsed = time.monotonic() - started
        with self._lock:
            self.running.discard(process.pid)
        from support import warm_cells  # which needs this module

        expected_warm = self.caller.warm and warm_cells.reason_for_cold(request) is None
        return Run(_parse(out), process.returncode, elapsed, out, err, hung, process.pid, expected_warm)

    def known_children(self) -> set[int]:
        with self._lock:
            return set(self.running)


def _parse(raw: bytes) -> dict | None:
    """`--json` promises the result object and nothing else on stdout, in strict UTF-8."""
    try:
        value = json.loads(raw.decode("utf-8", errors="strict"))
    except ValueError:
        return None
    return value if isinstance(value, dict) and "outcome" in value else None
