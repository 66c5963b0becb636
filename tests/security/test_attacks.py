"""Every attack against every mode, then the host as they left it. Run as root, or as a user with its own cgroup.

All selected attacks of a mode run together before the first of its tests judges (attack_batch.py), so `-k` picks
what is run, not only what is looked at.
"""

from __future__ import annotations

import pytest

import attack_checks
from attack_batch import DEAD_WITHIN_S, run_batch, survivors_of
from attack_header import ATTACKS, attack_files, categories, parse_attack
from support import host_state
from support.glovebox_runner import build_request, slowness
from support.modes import ModeUnavailable, open_mode, selected_modes

CATEGORIES = [
    "artifacts",
    "descriptors",
    "disk_inodes",
    "kernel_surface",
    "leaks",
    "memory",
    "namespaces_privileges",
    "network",
    "output",
    "processes_signals",
    "state",
    "time",
    "warm_cells",
]
PATHS = attack_files()
IDS = [f"{path.parent.name}/{path.name}" for path in PATHS]


def cases():
    """(mode, attack) pairs. A header that does not parse fails its own test; here it must not stop the collection."""
    for mode_name in selected_modes():
        for path, name in zip(PATHS, IDS):
            try:
                wanted = parse_attack(path).runs_in(mode_name)
            except ValueError:
                continue
            if wanted:
                yield pytest.param(mode_name, path, id=f"{mode_name}-{name}")


# Leaves processes of every awkward kind behind: in new sessions, deaf to signals, stopped, in a fork chain.
AWKWARD = """
import os, signal, time
for kind in range(12):
    if os.fork() == 0:
        os.setsid()
        for number in range(1, 65):
            if number not in (9, 19, 32, 33):
                signal.signal(number, signal.SIG_IGN)
        if kind % 3 == 0 and os.fork():
            os._exit(0)
        if kind % 3 == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(600)
print("started", flush=True)
"""


class Sessions:
    """Modes opened and batches run so far, each once per session."""

    def __init__(self, binary, selected):
        self._binary, self._selected = binary, selected
        self._modes, self._batches = {}, {}
        self._open = []

    def mode(self, name):
        if name not in self._modes:
            manager = open_mode(name, self._binary)
            try:
                self._modes[name] = manager.__enter__()
                self._open.append(manager)
            except ModeUnavailable as error:
                self._modes[name] = error
        if isinstance(self._modes[name], ModeUnavailable):
            pytest.skip(f"mode {name} needs {self._modes[name]}")
        return self._modes[name]

    def batch(self, name):
        mode = self.mode(name)
        if name not in self._batches:
            attacks = [parse_attack(path) for path in PATHS if path in self._selected.get(name, ())]
            first = name == selected_modes()[0] and slowness() == 1  # in one mode, for the time it takes
            self._batches[name] = run_batch(mode, attacks, plain_after_each=first)
        return mode, self._batches[name]

    def close(self):
        for manager in reversed(self._open):
            manager.__exit__(None, None, None)


@pytest.fixture(scope="session")
def sessions(request, glovebox_binary):
    selected = {}
    for item in request.session.items:
        callspec = getattr(item, "callspec", None)
        if callspec and {"mode_name", "path"} <= set(callspec.params):
            selected.setdefault(callspec.params["mode_name"], set()).add(callspec.params["path"])
    sessions = Sessions(glovebox_binary, selected)
    yield sessions
    sessions.close()


@pytest.mark.parametrize("path", PATHS, ids=IDS)
def test_header_parses(path):
    attack = parse_attack(path)
    assert attack.category in CATEGORIES
    says_more_than_ok = attack.expect_stdout or attack.expect_fields or attack.expect_artifacts is not None
    assert attack.outcomes != {"ok"} or says_more_than_ok, "a program that only ends well proves nothing"


def test_there_are_enough_attacks_of_every_category():
    assert categories() == CATEGORIES
    assert len(PATHS) >= 120
    assert len(set(IDS)) == len(IDS), "two attacks share a name"
    for category in CATEGORIES:
        assert len(list((ATTACKS / category).iterdir())) >= 5, category


@pytest.mark.parametrize("mode_name, path", cases())
def test_attack_is_held(sessions, mode_name, path):
    attack = parse_attack(path)
    mode, batch = sessions.batch(mode_name)
    evidence = batch.evidence[attack.id]
    if evidence.missing:
        pytest.skip(f"needs {evidence.missing}")
    found = attack_checks.complaints(attack, evidence, mode_name, mode.token)
    shown = "\n".join(run.describe() for run in evidence.runs)
    assert not found, f"{attack.id}: {attack.summary}\n- " + "\n- ".join(found) + f"\n{shown}"


@pytest.mark.parametrize("mode_name", selected_modes())
def test_host_is_as_before_after_all_attacks(sessions, mode_name):
    _, batch = sessions.batch(mode_name)
    assert batch.leftovers == []


@pytest.mark.parametrize("mode_name", selected_modes())
def test_nobody_reached_a_socket_of_the_host(sessions, mode_name):
    _, batch = sessions.batch(mode_name)
    assert batch.visitors == []


@pytest.mark.parametrize("mode_name", selected_modes())
def test_plain_program_runs_well_after_all_attacks(sessions, mode_name):
    _, batch = sessions.batch(mode_name)
    assert (batch.plain_run.outcome, batch.plain_run.stdout) == ("ok", "plain\n"), batch.plain_run.describe()


@pytest.mark.parametrize("ending", ["exit", "timeout"])
@pytest.mark.parametrize("mode_name", selected_modes())
def test_everything_is_dead_within_100_ms_of_the_verdict(sessions, mode_name, ending):
    mode = sessions.mode(mode_name)
    host_state.adopt_orphans()
    code = AWKWARD + ("time.sleep(0.2)\n" if ending == "exit" else "time.sleep(600)\n")
    run = mode.glovebox.run(build_request("python", code, limits={"wall_ms": 1500}))
    assert survivors_of(mode) == [], f"alive {DEAD_WITHIN_S * slowness()} s after the verdict"
    assert run.outcome == ("ok" if ending == "exit" else "timeout"), run.describe()
    assert run.stdout == "started\n", run.describe()
