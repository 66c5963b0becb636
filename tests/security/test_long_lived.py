"""Attacks through one process that outlives them all: what the many short ones cannot show, its own descriptors."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import attack_binaries
from attack_batch import build_attack_request
from attack_header import attack_files, parse_attack
from support.glovebox_runner import build_request, slowness
from support.service import Service

WANTED = 40
SLOWEST_MS = 3_000  # a wall limit above this would only take time
SETTLES_WITHIN_S = 20


def chosen_attacks() -> list:
    """Of every category some, the same in every run."""
    attacks = [parse_attack(path) for path in attack_files()]
    quick = [each for each in attacks if each.limits.get("wall_ms", SLOWEST_MS) <= SLOWEST_MS and not each.needs]
    quick = [each for each in quick if "timeout" not in each.outcomes and "{" not in "".join(each.args)]
    return quick[:: max(1, len(quick) // WANTED)][:WANTED]


def processes_of(service: Service) -> list[int]:
    """The service and everything below it that is ours to keep: launcher and nursery, not the cells of a run."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            parents[int(entry)] = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            pass  # gone meanwhile
    found = [service.process.pid]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def descriptors_of(service: Service) -> dict[int, int]:
    counts = {}
    for pid in processes_of(service):
        try:
            counts[pid] = len(os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            pass  # gone meanwhile
    return counts


def settled(service: Service, at_most: int) -> dict[int, int]:
    deadline = time.monotonic() + SETTLES_WITHIN_S * slowness()
    while sum((counts := descriptors_of(service)).values()) > at_most and time.monotonic() < deadline:
        time.sleep(0.05)
    return counts


@pytest.fixture
def service(glovebox_binary, tmp_path):
    # Without warm cells: how many wait is the pool's business, and each holds descriptors.
    running = Service(glovebox_binary, tmp_path / "data", "--cold")
    yield running
    assert running.end() == 0, running.lines


def plain(call) -> tuple:
    answer = call("POST", "/v1/runs", build_request("python", "print('plain')")).json
    return answer["outcome"], answer["stdout"]


def test_a_service_keeps_nothing_of_forty_attacks(service, tmp_path):
    attacks = chosen_attacks()
    assert len(attacks) == WANTED
    assert len({attack.category for attack in attacks}) >= 8, "a sample of every kind"
    binaries = attack_binaries.compile_all(attacks, tmp_path)
    call = service.connect(timeout=120)
    if plain(call)[0] == "setup_failed":
        pytest.skip("needs control groups")
    assert plain(call) == ("ok", "plain\n")
    before = descriptors_of(service)
    ran = 0
    for attack in attacks:
        binary = binaries.get(attack.id)
        if isinstance(binary, Exception):
            continue
        answer = call("POST", "/v1/runs", build_attack_request(attack, binary, {}))
        assert answer.status == 200 and answer.json["outcome"] in attack.outcomes, (attack.id, answer)
        assert "ESCAPED" not in answer.json["stdout"], (attack.id, answer)
        assert plain(call) == ("ok", "plain\n"), f"after {attack.id}"
        ran += 1
    assert ran >= WANTED // 2
    after = settled(service, sum(before.values()))
    assert sum(after.values()) <= sum(before.values()), f"descriptors by process before {before}, after {after}"
    assert set(after) <= set(before), "a process was left"
    call.close()
