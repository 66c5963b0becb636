"""What every Python suite shares: the path to `support`, and the binary under test."""

import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from support import glovebox_runner  # noqa: E402  (needs the path above)


# Whoever started the tests in the background or under nohup had these ignored, and the binary would ignore them too.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def glovebox_binary():
    """The built binary. A missing one is a failure, not a skip: a suite that tests nothing must not look green."""
    binary = glovebox_runner.binary_path()
    if not binary.is_file():
        pytest.fail(f"{binary} does not exist: build it first, or set GLOVEBOX_BIN", pytrace=False)
    return binary
