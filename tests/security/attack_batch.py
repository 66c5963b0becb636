"""Runs the attacks of one mode, several at a time, and keeps what was seen for the tests to judge.

Per attack: the result of each run, what stayed behind (processes, mounts, cgroups, temporary files, System V objects:
aftermath.py), the artifacts as saved, and in the first mode how an ordinary program runs right after it. Per mode: what
the host kept after all of them, who knocked at the host's sockets, and whether an ordinary program still runs well.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import attack_binaries
from aftermath import Aftermath
from attack_header import Attack
from support import host_state
from support.glovebox_runner import TIME_LIMITS, Run, build_request, input_file, slowness
from support.modes import Mode

WORKERS = min(3, os.cpu_count() or 1)  # more would only make timeouts out of honest runs
SLOW_START = 5
HELPERS = Path(__file__).resolve().parent / "helpers"
# Beside a program that contains the words on the left.
HELPER_FILES = {"from attack import": "attack.py", "require('./keeper')": "keeper.js"}
START_BINARY = 'chmod +x ./attack && exec ./attack "$@"\n'
# A verdict is out when the binary has ended; from then on everything of the run must be gone this soon.
DEAD_WITHIN_S = 0.1


@dataclass
class Evidence:
    missing: str | None = None  # the capability for lack of which the attack was not run
    runs: list[Run] = field(default_factory=list)
    survivors: list[str] = field(default_factory=list)
    artifacts: dict[str, bytes] = field(default_factory=dict)  # as saved; the first part only
    artifact_oddities: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)
    plain_run: Run | None = None  # an ordinary program, right after the attack; None: not tried in this mode


@dataclass
class Batch:
    evidence: dict[str, Evidence]
    leftovers: list[str]
    visitors: list[str]
    plain_run: Run


class HostSockets:
    """Listeners on the host that no cell may reach: one abstract, one in the shared temporary directory."""

    def __init__(self, directory: Path, label: str):
        self.abstract = f"gbtest-{label}"
        self.path = directory / "host.sock"
        self.visitors: list[str] = []
        self._sockets = []
        for address in ("\0" + self.abstract, str(self.path)):
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(address)
            listener.listen(16)
            self._sockets.append(listener)
        self.path.chmod(0o777)
        for listener in self._sockets:
            threading.Thread(target=self._answer, args=(listener,), daemon=True).start()

    def _answer(self, listener: socket.socket) -> None:
        while True:
            try:
                visitor, _ = listener.accept()
            except OSError:
                return
            self.visitors.append(f"a connection to {listener.getsockname()!r}")
            visitor.close()

    def close(self) -> None:
        for listener in self._sockets:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()


def run_batch(mode: Mode, attacks: list[Attack], plain_after_each: bool) -> Batch:
    host_state.adopt_orphans()
    label = mode.token[-8:]
    sockets = HostSockets(mode.private, label)
    binaries_directory = Path(tempfile.mkdtemp(prefix="gbtest-attacks-"))
    try:
        facts = {
            "abstract_socket": sockets.abstract,
            "socket_path": str(sockets.path),
            "secret_directory_parent": str(mode.private),
        }
        binaries = attack_binaries.compile_all(attacks, binaries_directory)
        # The first run may create what stays on purpose, such as the leaf that the caller moves to.
        _plain_run(mode)
        before = host_state.HostState.look(mode.user.uid)
        groups_before = mode.cgroups.below() if mode.cgroups else set()
        with ThreadPoolExecutor(max_workers=WORKERS) as pool:
            aftermath = Aftermath(mode)
            host = AttackedHost(mode, aftermath, binaries, facts, plain_after_each)
            collected = list(pool.map(lambda attack: _run_attack(host, attack), attacks))
        plain_run = _plain_run(mode)
        leftovers = host_state.HostState.look(mode.user.uid).grown_since(before)
        if mode.cgroups:
            leftovers += [f"cgroup left: {path}" for path in sorted(mode.cgroups.below() - groups_before)]
        leftovers += [f"temporary file left: {path}" for path in sorted(mode.temporary.rglob("*"))]
    finally:
        sockets.close()
        shutil.rmtree(binaries_directory, ignore_errors=True)
    evidence = {attack.id: found for attack, found in zip(attacks, collected)}
    return Batch(evidence, leftovers, sockets.visitors, plain_run)


def survivors_of(mode: Mode) -> list[str]:
    known = mode.glovebox.known_children
    return host_state.orphans(known, known, DEAD_WITHIN_S * slowness())


def _plain_run(mode: Mode) -> Run:
    return mode.glovebox.run(build_request("python", "print('plain')"))


@dataclass
class AttackedHost:
    mode: Mode
    aftermath: Aftermath
    binaries: dict[str, Path | Exception]
    facts: dict[str, str]
    plain_after_each: bool


def _run_attack(host: AttackedHost, attack: Attack) -> Evidence:
    mode = host.mode
    absent = [tool for tool in attack.needs if shutil.which(tool, path="/usr/bin:/bin:/usr/sbin:/sbin") is None]
    if absent:
        return Evidence(missing=f"the command {absent[0]}")
    binary = host.binaries.get(attack.id)
    if isinstance(binary, attack_binaries.NoCompiler):
        return Evidence(missing=str(binary))
    if isinstance(binary, Exception):
        raise binary
    request = build_attack_request(attack, binary, host.facts)
    evidence = Evidence()
    saved = mode.make_directory("artifacts-" + attack_binaries.file_name(attack)) if attack.artifacts else None
    for _ in range(attack.runs):
        evidence.runs.append(mode.glovebox.run(request, artifacts=saved))
        evidence.survivors += survivors_of(mode)
        evidence.leftovers += host.aftermath.left_by(evidence.runs[-1].pid, DEAD_WITHIN_S * slowness())
    if host.plain_after_each:
        evidence.plain_run = _plain_run(mode)
    if saved is not None:
        _read_artifacts(saved, evidence)
        shutil.rmtree(saved, ignore_errors=True)
    return evidence


def build_attack_request(attack: Attack, binary: Path | None, facts: dict[str, str]) -> dict:
    files = [input_file(name, content) for name, content in attack.files]
    if binary is not None:
        files.append(input_file("attack", binary.read_bytes()))
        language, code = "bash", START_BINARY
    else:
        language, code = attack.language, attack.code
        used = [name for words, name in HELPER_FILES.items() if words in code]
        files += [input_file(name, (HELPERS / name).read_text()) for name in used]
    fields = {"files": files, "args": [argument.format(**facts) for argument in attack.args], "stdin": attack.stdin}
    if attack.artifacts:
        fields["artifacts"] = list(attack.artifacts)
    request = build_request(language, code, limits=attack.limits, **fields)
    if attack.outcomes <= {"timeout", "cpu_limit"}:
        # It runs into its limit on any machine: on a slow one it only has to get going before.
        for name in TIME_LIMITS:
            request["limits"][name] = int(request["limits"][name] / slowness() * min(slowness(), SLOW_START))
    return request


def _read_artifacts(directory: Path, evidence: Evidence) -> None:
    """What the binary saved outside: only plain, harmless files may be there."""
    for path in sorted(directory.rglob("*")):
        name, status = str(path.relative_to(directory)), path.lstat()
        if stat.S_ISDIR(status.st_mode):
            continue
        if not stat.S_ISREG(status.st_mode):
            evidence.artifact_oddities.append(f"{name!r} was saved as {stat.filemode(status.st_mode)}")
            continue
        if status.st_mode & (stat.S_ISUID | stat.S_ISGID | 0o111):
            evidence.artifact_oddities.append(f"{name!r} was saved with mode {stat.filemode(status.st_mode)}")
        if status.st_nlink != 1:
            evidence.artifact_oddities.append(f"{name!r} was saved as a link to something")
        with path.open("rb") as saved:
            evidence.artifacts[name] = saved.read(1 << 20)
