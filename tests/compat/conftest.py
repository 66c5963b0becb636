"""Ordinary programs must not notice the wall: they end well, print what they should, and nothing of them is refused.

Everything runs under the default limits unless a test says why it cannot. GLOVEBOX_TEST_MODES chooses who starts the
binary; by default the best mode this test run can have.
"""

from __future__ import annotations

import os
import shutil

import pytest

from support.glovebox_runner import build_request
from support.modes import ModeUnavailable, open_mode, selected_modes


@pytest.fixture(scope="session")
def mode(glovebox_binary):
    chosen = selected_modes()
    name = next((name for name in chosen if name != "root" or os.geteuid() == 0), chosen[0])
    manager = open_mode(name, glovebox_binary)
    try:
        opened = manager.__enter__()
    except ModeUnavailable as error:
        pytest.skip(f"mode {name} needs {error}")
    yield opened
    manager.__exit__(None, None, None)


@pytest.fixture
def run_well(mode, request):
    """Runs a program that must end well without a single refusal; returns its stdout and the saved artifacts."""

    def run(language, code, *, limits=None, artifacts=(), **fields):
        saved = None
        if artifacts:
            saved = mode.make_directory(f"artifacts-{request.node.name[:60].replace('/', '_')}")
            fields["artifacts"] = list(artifacts)
        run = mode.glovebox.run(build_request(language, code, limits=limits, **fields), artifacts=saved)
        assert run.outcome == "ok", run.describe()
        assert run.result["exit_code"] == 0, run.describe()
        assert run.result["denials"] == [], run.describe()
        files = {}
        if saved is not None:
            files = {str(path.relative_to(saved)): path.read_bytes() for path in saved.rglob("*") if path.is_file()}
            shutil.rmtree(saved, ignore_errors=True)
        return run.stdout, files

    return run
