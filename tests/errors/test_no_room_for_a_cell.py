"""The host has no processes or no memory left for a cell: the answer is clean, comes soon, and leaves nothing."""

from __future__ import annotations

import os
import secrets

import pytest

from support import delegated_cgroups, host_state
from support.glovebox_runner import Caller, Glovebox, build_request

CLEAN = ("setup_failed", "internal_error", "memory_limit", "process_limit")


@pytest.fixture
def tight(glovebox_binary):
    """Glovebox in a control group of its own, whose limits the test sets."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to limit a control group")
    try:
        groups = delegated_cgroups.DelegatedCgroups(0, 0, f"glovebox-test-tight-{secrets.token_hex(4)}")
    except delegated_cgroups.Unavailable as error:
        pytest.skip(f"needs {error}")
    host_state.adopt_orphans()
    before = host_state.HostState.look(0)
    glovebox = Glovebox(glovebox_binary, Caller("tight", groups.enter_prefix()))
    glovebox.groups = groups
    yield glovebox
    left = host_state.orphans(glovebox.known_children, glovebox.known_children, grace_s=5)
    cells = [path for path in groups.below() if "/glovebox." in path and not path.endswith(".supervisor")]
    grown = host_state.HostState.look(0).grown_since(before)
    groups.remove()
    assert (left, cells, grown) == ([], [], [])


def set_limit(glovebox, names: tuple[str, ...], value: int) -> None:
    """In whichever tree has the controller, under the name of its version."""
    written = 0
    for group in glovebox.groups.groups:
        for name in names:
            if (group / name).exists():
                (group / name).write_text(str(value))
                written += 1
    assert written, "no control group has this limit"


def test_no_process_to_spare(tight):
    assert tight.run(build_request("python", "print('room')")).outcome == "ok"
    # One for the binary and one for its launcher.
    set_limit(tight, ("pids.max",), 2)
    ended = tight.run(build_request("python", "print('never')"))
    assert ended.outcome == "setup_failed" and not ended.hung, ended.describe()
    assert "EAGAIN" in str(ended.result["attempts"]) or "unavailable" in ended.result["error"]["message"], ended.describe()
    assert len(ended.result["attempts"]) == 2, "tried once more"
    assert ended.elapsed_s < 20
    set_limit(tight, ("pids.max",), 100)
    assert tight.run(build_request("python", "print('room')")).outcome == "ok"


@pytest.mark.parametrize("mebibytes", [48, 16, 8, 4])
def test_no_memory_to_spare(tight, mebibytes):
    """Less and less for the service and its cells together. When not even the service itself fits, the kernel ends it,
    and what it started goes with it."""
    assert tight.run(build_request("python", "print('room')")).outcome == "ok"
    set_limit(tight, ("memory.limit_in_bytes", "memory.max"), mebibytes << 20)
    ended = tight.run(build_request("python", "a = bytearray(60 << 20)\nprint('filled')"))
    assert not ended.hung and ended.elapsed_s < 30, ended.describe()
    if ended.result is None:
        assert ended.exit_status in (-9, 137), ended.describe()
        # Empty groups are all that it can have left, and the next one removes them.
        set_limit(tight, ("memory.limit_in_bytes", "memory.max"), 1 << 30)
        assert tight.run(build_request("python", "print('room')")).outcome == "ok"
        return
    assert ended.outcome in CLEAN, ended.describe()
    assert ended.result["error"]["message"] and ended.result["error"]["hint"]
