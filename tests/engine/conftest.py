"""Who starts the binary in this suite, and how a test calls it."""

from __future__ import annotations

import secrets

import pytest

from support import host_state
from support.command_line import CommandLine
from support.modes import suite_modes
from support.suite_mode import open_with_places


def pytest_generate_tests(metafunc):
    """Everything in the best mode that this test run can have (GLOVEBOX_TEST_MODES chooses), and what has to do with
    cells once more in warm ones; a module that is not about cells says so."""
    if "mode" in metafunc.fixturenames:
        about_cells = not getattr(metafunc.module, "NOT_ABOUT_CELLS", False)
        names = suite_modes(("root", "user", "degraded"), ("warm", "warm-user") if about_cells else ())
        metafunc.parametrize("mode", names, indirect=True, scope="session")


@pytest.fixture(scope="session")
def mode(request, glovebox_binary):
    host_state.adopt_orphans()
    with open_with_places(request.param, glovebox_binary) as opened:
        yield opened


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
