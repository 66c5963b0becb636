"""Root works in the data directory of a service that runs as somebody else: the service can go on there."""

from __future__ import annotations

import os

import pytest

SERVICE = 4242
LARGE = "import os; print(os.urandom(150_000).hex())"


@pytest.fixture
def theirs(records, mode):
    if mode.name != "root":
        pytest.skip("only root can give files away")
    records.directory.mkdir(exist_ok=True)
    os.chown(records.directory, SERVICE, SERVICE)
    return records


def owners(directory) -> dict[str, int]:
    return {str(path.relative_to(directory)): path.lstat().st_uid for path in directory.rglob("*")}


def test_what_root_leaves_belongs_to_the_service(theirs, tmp_path):
    run_id = theirs.run(LARGE)
    theirs("replay", run_id)
    theirs("admin", "stop", "--reason", "a test")
    (tmp_path / "input").write_bytes(b"rows")
    assert theirs("blob", "add", str(tmp_path / "input")).status == 0
    left = owners(theirs.directory)
    assert {"contents", "blobs", "glovebox.db", "audit.head", "serve.lock"} <= set(left)
    assert any(name.endswith(".zst") for name in left)
    assert set(left.values()) == {SERVICE}, left


def test_root_follows_no_link_of_the_service(theirs, tmp_path):
    (tmp_path / "input").write_bytes(b"rows")
    (tmp_path / "elsewhere").mkdir()
    (theirs.directory / "blobs").symlink_to(tmp_path / "elsewhere")
    assert theirs("blob", "add", str(tmp_path / "input")).status == 125
    assert list((tmp_path / "elsewhere").iterdir()) == []
