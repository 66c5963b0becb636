"""A user without a delegated control group gets a clear word; the degraded mode only when asked for (I3, L11)."""

from __future__ import annotations

import dataclasses

import pytest

from support.command_line import CommandLine, seconds
from support.glovebox_runner import Glovebox
from support.modes import ModeUnavailable, open_mode


@pytest.fixture(scope="module")
def user(glovebox_binary):
    """The command line of a user without delegation, in the degraded mode."""
    manager = open_mode("degraded", glovebox_binary)
    try:
        opened = manager.__enter__()
    except ModeUnavailable as error:
        pytest.skip(f"needs {error}")
    yield CommandLine(opened.glovebox)
    manager.__exit__(None, None, None)


@pytest.fixture(scope="module")
def strict_user(user):
    caller = dataclasses.replace(user.glovebox.caller, degraded=False)
    return CommandLine(Glovebox(user.glovebox.binary, caller))


def test_without_delegation_nothing_runs_and_the_message_says_what_to_do(strict_user):
    ended = strict_user("run", "-c", "print('ran')")
    assert (ended.status, ended.out) == (125, ""), ended
    assert "cannot enforce the limits" in ended.err and "--degraded" in ended.err
    ended = strict_user("run", "--json", "-c", "print('ran')")
    assert (ended.status, ended.result["error"]["code"]) == (125, "limits_unavailable"), ended
    assert "--degraded" in ended.result["error"]["hint"]
    assert strict_user("explain").status == 125


def test_degraded_works_and_says_so(user):
    result = user.result(
        "python", "import os\nprint(os.getuid(), open('/proc/self/status').read().count('CapEff:\\t0'))"
    )
    assert (result["outcome"], result["stdout"]) == ("ok", "1000 1\n"), result
    enforced = result["provenance"]["enforced"]
    assert [layer for layer in enforced if layer.startswith("cgroup_")] == []
    assert {"degraded", "polled_memory", "rlimit_processes", "seccomp", "namespace_network"} <= set(enforced)


# Does not give up when the kernel refuses a process: polling sees it in any case.
PERSISTENT_BOMB = """
import os, time
while True:
    try:
        if os.fork() == 0: time.sleep(600)
    except OSError:
        pass
"""


@pytest.mark.parametrize(
    "code, flags, outcome",
    [
        ("import time; time.sleep(600)", ["--timeout", seconds(0.3)], "timeout"),
        ("while True: pass", ["--cpu-time", seconds(0.3)], "cpu_limit"),
        ("x = []\nwhile True: x.append(bytearray(b'x') * (1 << 20))", ["--memory", "96M"], "memory_limit"),
        ("open('x', 'wb').write(b'x' * (8 << 20))", ["--disk", "4M"], "disk_limit"),
        (PERSISTENT_BOMB, ["--processes", "20"], "process_limit"),
        ("while True: print('x' * 65536)", ["--output", "1K"], "output_limit"),
        ("import socket; socket.socket()", [], "denied"),
    ],
    ids=["wall", "cpu", "memory", "disk", "processes", "output", "denied"],
)
def test_degraded_limits_still_kill(user, code, flags, outcome):
    result = user.result("python", code, *flags)
    assert result["outcome"] == outcome, result


def test_files_and_artifacts_work_for_an_ordinary_user(user):
    code = "open('out.txt', 'w').write(open('in.txt').read().upper())"
    request = {
        "code": code,
        "files": [{"path": "in.txt", "content": "hello"}],
        "artifacts": ["out.txt"],
        "limits": {"wall_ms": 60_000, "cpu_ms": 60_000},
    }
    result = user.send(request).result
    assert (result["outcome"], [artifact["bytes"] for artifact in result["artifacts"]]) == ("ok", [5]), result


def test_doctor_says_that_this_user_is_not_ready(user):
    ended = user("doctor")
    assert ended.status == 1, ended
    assert "MISSING" in ended.out and "→" in ended.out
