"""Who starts the binary in this suite, and how a test calls it."""

from __future__ import annotations

import dataclasses
import secrets

import pytest

from support import host_state
from support.command_line import CommandLine
from support.modes import ModeUnavailable, open_mode, suite_modes


def pytest_generate_tests(metafunc):
    """Everything in the best mode that this test run can have (GLOVEBOX_TEST_MODES chooses), and what has to do with
    cells once more in warm ones; a module that is not about cells says so."""
    if "mode" in metafunc.fixturenames:
        about_cells = not getattr(metafunc.module, "NOT_ABOUT_CELLS", False)
        names = suite_modes(("root", "user", "degraded"), ("warm", "warm-user") if about_cells else ())
        metafunc.parametrize("mode", names, indirect=True, scope="session")


@pytest.fixture(scope="session")
def mode(request, glovebox_binary):
    """Who starts the binary, with its own cache, data and settings."""
    name = request.param
    host_state.adopt_orphans()
    manager = open_mode(name, glovebox_binary)
    try:
        opened = manager.__enter__()
    except ModeUnavailable as error:
        pytest.skip(f"mode {name} needs {error}")
    caller = opened.glovebox.caller
    places = {f"XDG_{kind}_HOME": str(opened.make_directory(kind.lower())) for kind in ("CACHE", "DATA", "CONFIG")}
    opened.glovebox.caller = dataclasses.replace(caller, env=caller.env | places)
    CommandLine(opened.glovebox)("explain")  # the digest of the image takes seconds the first time
    yield opened
    manager.__exit__(None, None, None)


@pytest.fixture(scope="session")
def glovebox(mode) -> CommandLine:
    return CommandLine(mode.glovebox)


@pytest.fixture
def directory(mode, request):
    """A directory that the caller may write, for one test."""
    name = "".join(letter if letter.isalnum() else "_" for letter in request.node.name)
    return mode.make_directory(f"{name[:80]}_{secrets.token_hex(2)}")


@pytest.fixture
def token():
    """A word that is nowhere else on this host: pass it as an argument, and find the processes that have it."""
    return "token" + secrets.token_hex(12)
