"""Programs that fail, in cold cells and in warm ones (GLOVEBOX_TEST_MODES chooses others)."""

from __future__ import annotations

import pytest

from support.modes import ModeUnavailable, open_mode, suite_modes


@pytest.fixture(scope="session", params=suite_modes(("root", "user", "degraded"), ("warm", "warm-user")))
def mode(request, glovebox_binary):
    try:
        with open_mode(request.param, glovebox_binary) as opened:
            yield opened
    except ModeUnavailable as error:
        pytest.skip(f"mode {request.param} needs {error}")
