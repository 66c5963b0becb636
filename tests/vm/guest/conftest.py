"""These tests are about the test machine of tests/vm: anywhere else they have nothing to say."""

import os
import pathlib

import pytest


def pytest_collection_modifyitems(items):
    if "GLOVEBOX_VM" in os.environ:
        return
    here = pathlib.Path(__file__).parent
    for item in items:  # of the whole run, other folders' too
        if here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="runs only inside the machine that `make test-vm` boots"))


@pytest.fixture
def own_cgroup():
    """The directory of the cgroup that this process sits in."""
    (line,) = open("/proc/self/cgroup").read().splitlines()
    return "/sys/fs/cgroup" + line.removeprefix("0::")


@pytest.fixture
def glovebox():
    if "GLOVEBOX_BIN" not in os.environ:
        pytest.skip("the payload holds no glovebox binary (--machine-only)")
    return os.environ["GLOVEBOX_BIN"]


@pytest.fixture
def slowness():
    return float(os.environ.get("GLOVEBOX_TEST_SLOWNESS", "1"))
