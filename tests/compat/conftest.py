"""Ordinary programs must not notice the wall: they end well, print what they should, and nothing of them is refused.

Everything runs under the default limits unless a test says why it cannot. GLOVEBOX_TEST_MODES chooses who starts the
binary; by default the best mode this test run can have, and then the same once more in warm cells.
"""

from __future__ import annotations

import dataclasses
import re
import shutil

import pytest

from support.glovebox_runner import Glovebox, build_request
from support.modes import suite_modes
from support.suite_mode import open_or_skip

COMPARED = ("outcome", "stdout", "stderr", "exit_code", "signal", "error", "results", "denials", "artifacts")
# Addresses differ from run to run, and so does the number of the program's process; our own frames have other names.
ADDRESS = re.compile(r"0x[0-9a-f]{6,16}")
OUR_FRAMES = re.compile(r'  File "/glovebox/support/[^\n]*\n(?:    [^\n]*\n)*')
NODE_FRAMES = re.compile(r"\n +at [^\n]*node:internal/[^\n]*|\n[^\n]*library frame[^\n]*|\n +\.\.\. \d+ lines [^\n]*")


@pytest.fixture(scope="session", params=suite_modes(("root", "user", "degraded"), ("warm-user", "warm")))
def mode(request, glovebox_binary):
    with open_or_skip(request.param, glovebox_binary) as opened:
        yield opened


@pytest.fixture
def run_program(mode):
    """Runs a program, in a warm cell where the mode has them and one fits."""

    def run(language, code, *, saved=None, **fields):
        ended = mode.glovebox.run(build_request(language, code, **fields), artifacts=saved)
        assert not ended.unexpectedly_cold, ended.describe()
        return ended

    return run


@pytest.fixture
def run_well(mode, run_program, request):
    """Runs a program that must end well without a single refusal; returns its stdout and the saved artifacts."""

    def run(language, code, *, limits=None, artifacts=(), **fields):
        saved = None
        if artifacts:
            saved = mode.make_directory(f"artifacts-{request.node.name[:60].replace('/', '_')}-{mode.name}")
            fields["artifacts"] = list(artifacts)
        run = run_program(language, code, limits=limits, saved=saved, **fields)
        assert run.outcome == "ok", run.describe()
        assert run.result["exit_code"] == 0, run.describe()
        assert run.result["denials"] == [], run.describe()
        files = {}
        if saved is not None:
            files = {str(path.relative_to(saved)): path.read_bytes() for path in saved.rglob("*") if path.is_file()}
            shutil.rmtree(saved, ignore_errors=True)
        return run.stdout, files

    return run


@pytest.fixture
def both(mode):
    """Runs a request cold and warm; returns both results with what may differ taken out."""
    if mode.name == "degraded":
        pytest.skip("needs control groups: the degraded mode has no warm cells")
    caller = mode.glovebox.caller

    def run(language, code, **fields):
        request = build_request(language, code, **fields)
        results = []
        for warm in (False, True):
            ended = Glovebox(mode.glovebox.binary, dataclasses.replace(caller, warm=warm)).run(request)
            assert ended.result is not None and not ended.unexpectedly_cold, ended.describe()
            results.append({name: plain(ended.result[name]) for name in COMPARED})
        return results

    return run


def plain(value):
    if isinstance(value, str):
        return NODE_FRAMES.sub("", OUR_FRAMES.sub("", ADDRESS.sub("0x", value)))
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value
