"""Programs that fail, in cold cells and in warm ones (GLOVEBOX_TEST_MODES chooses others)."""

from __future__ import annotations

import pytest

from support.modes import suite_modes
from support.suite_mode import open_or_skip


@pytest.fixture(scope="session", params=suite_modes(("root", "user", "degraded"), ("warm", "warm-user")))
def mode(request, glovebox_binary):
    with open_or_skip(request.param, glovebox_binary) as opened:
        yield opened
