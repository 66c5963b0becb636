"""The glovebox command as a person or a script types it: flags in; exit status, both streams and the time it took out.

Time limits grow with GLOVEBOX_TEST_SLOWNESS like those of glovebox_runner. Results that come as JSON are held to the
schema of the contract, so that every test that reads one checks all of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from support import delegated_cgroups, json_schema, warm_cells
from support.glovebox_runner import DEFAULT_CPU_MS, DEFAULT_WALL_MS, REPOSITORY, Glovebox, slowness

RESULT_SCHEMA = json_schema.load(REPOSITORY / "contract/run_result.schema.json")
ANSWERS_WITHIN_S = 60.0


def seconds(value: float) -> str:
    """A duration for a flag, scaled to this machine."""
    return f"{value * slowness():g}s"


@dataclass
class Ended:
    status: int
    stdout: bytes
    stderr: bytes
    elapsed_s: float

    @property
    def out(self) -> str:
        return self.stdout.decode()

    @property
    def err(self) -> str:
        return self.stderr.decode()

    @property
    def result(self) -> dict:
        """stdout as the one result object that --json promises."""
        text = self.out
        assert text.endswith("\n") and text.count("\n") == 1, f"not one line of JSON: {text[:2000]!r}\n{self.err}"
        value = json.loads(text)
        assert json_schema.violations(value, RESULT_SCHEMA) == []
        return value

    def __str__(self) -> str:
        return (
            f"status {self.status} after {self.elapsed_s:.3f} s\n"
            f"  stdout: {self.stdout[:3000]!r}\n  stderr: {self.stderr[:3000]!r}"
        )


class CommandLine:
    def __init__(self, glovebox: Glovebox):
        self.glovebox = glovebox

    def command(self, *arguments: str) -> list[str]:
        caller = self.glovebox.caller
        words = [str(word) for word in arguments]
        if words and words[0] in ("run", "explain"):
            added = ["--degraded"] if caller.degraded else []
            if caller.warm and words[0] == "run":
                added.append("--warm")
            if words[0] == "run" and "--timeout" not in words:
                added += ["--timeout", seconds(DEFAULT_WALL_MS / 1000)]
            if words[0] == "run" and "--cpu-time" not in words:
                added += ["--cpu-time", seconds(DEFAULT_CPU_MS / 1000)]
            words[1:1] = added
        return [*caller.prefix, str(self.glovebox.binary), *words]

    def start(self, *arguments: str, env: dict[str, str] | None = None, **options) -> subprocess.Popen:
        """Both streams are pipes and stdin is empty, unless `options` says otherwise."""
        caller = self.glovebox.caller
        settings = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "cwd": caller.cwd,
            "env": (caller.env or dict(os.environ)) | (env or {}),
        }
        return subprocess.Popen(self.command(*arguments), **(settings | options))

    def __call__(self, *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ended:
        started = time.monotonic()
        process = self.start(*arguments, env=env, stdin=subprocess.PIPE)
        try:
            out, err = process.communicate(stdin, timeout=ANSWERS_WITHIN_S * slowness())
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
        ended = Ended(process.returncode, out, err, time.monotonic() - started)
        if self.glovebox.caller.warm and arguments[:1] == ("run",) and "XDG_CONFIG_HOME" not in (env or {}):
            self._check_warmth([str(word) for word in arguments], stdin, ended)
        return ended

    @staticmethod
    def _check_warmth(words: list[str], stdin: bytes, ended: Ended) -> None:
        """In a mode with warm cells, a run that fits one has to be in one."""
        request = warm_cells.request_of_flags(words)
        if "--request" in words:
            source = words[words.index("--request") + 1]
            try:
                request = json.loads(stdin if source == "-" else Path(source).read_bytes())
            except (ValueError, RecursionError):
                return
        if not isinstance(request, dict) or warm_cells.reason_for_cold(request) is not None:
            return
        if "--json" in words and ended.result["attempts"]:
            paths = [attempt["path"] for attempt in ended.result["attempts"]]
            assert ended.result["provenance"]["warm"] and paths == ["warm"], f"not in the warm cell: {ended}"
        assert b"glovebox: not warm" not in ended.stderr, ended

    def run(self, language: str, code: str, *arguments: str, **options) -> Ended:
        return self("run", "--language", language, "--code", code, *arguments, **options)

    def result(self, language: str, code: str, *arguments: str, **options) -> dict:
        return self.run(language, code, "--json", *arguments, **options).result

    def send(self, request: dict | str, *arguments: str, **options) -> Ended:
        """A whole request on standard input, answered in JSON."""
        text = request if isinstance(request, str) else json.dumps(request)
        return self("run", "--request", "-", "--json", *arguments, stdin=text.encode(), **options)


def processes_with(token: str) -> list[int]:
    """Living processes of this host that have the token among their arguments, whatever namespace they are in."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                arguments = Path(f"/proc/{entry}/cmdline").read_bytes()
                alive = Path(f"/proc/{entry}/stat").read_text(errors="replace").rsplit(")", 1)[1].split()[0] not in "ZX"
            except OSError:
                continue
            if alive and token.encode() in arguments:
                found.append(int(entry))
    return found


def gone_within(token: str, patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s * slowness()
    while processes_with(token):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def cell_groups(mode) -> set[str]:
    """Control groups of cells that exist now, wherever this mode's binary may have made them."""
    if mode.cgroups is not None:
        places = mode.cgroups.groups
    else:
        places = {place for tree in delegated_cgroups.trees() for place in (tree.own, tree.own.parent)}
    # A supervisor that moved itself sits in a leaf of its own until the next run sweeps it.
    return {
        str(path)
        for place in places
        for path in place.glob("glovebox.*")
        if path.is_dir() and not path.name.endswith(".supervisor")
    }
