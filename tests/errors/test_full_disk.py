"""The disk under the records is full: runs are refused or fail with the cause named, and go on when there is room."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time

import pytest

from support.service import Service

SMALL = 3 << 20


@pytest.fixture
def small_disk(tmp_path):
    """A file system of our own that is soon full."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to mount a small file system")
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SMALL},mode=700", "glovebox-test", place], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"needs to mount a tmpfs: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def fill(place) -> None:
    with contextlib.suppress(OSError), open(place / "ballast", "ab", buffering=0) as file:
        while True:
            file.write(b"x" * 65536)
    with contextlib.suppress(OSError), open(place / "ballast", "ab", buffering=0) as file:
        while True:
            file.write(b"x")


def test_a_full_disk_is_named_and_passes(glovebox_binary, small_disk):
    service = Service(glovebox_binary, small_disk / "data", "--cold")
    try:
        call = service.connect()
        assert call.run("print('before')", cache="off").json["success"]
        fill(small_disk)
        began = time.monotonic()
        answers = [call.run("print('x' * 20000)", cache="off") for _ in range(5)]
        assert time.monotonic() - began < 30
        assert all(answer.status >= 500 for answer in answers), answers
        for answer in answers:
            assert answer.headers["content-type"] == "application/problem+json"
            assert "full" in answer.json["detail"], "the cause is named"
        assert call("PUT", "/v1/blobs/" + "0" * 64, b"x" * 100_000).status >= 400
        assert call("GET", "/healthz").status == 200
        assert service.process.poll() is None
        (small_disk / "ballast").unlink()
        after = call.run("print('after')", cache="off")
        assert after.status == 200 and after.json["stdout"] == "after\n", after
        assert json.loads(service.command("audit", "verify", "--json"))["intact"]
    finally:
        service.end()


def test_a_recorded_command_tells_of_a_full_disk(glovebox_binary, small_disk):
    data = small_disk / "data"
    run = [glovebox_binary, "run", "--record", "--data", data, "-c", "print('x' * 20000)"]
    assert subprocess.run(run, capture_output=True, timeout=60).returncode == 0
    fill(small_disk)
    ended = subprocess.run(run, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 125 and "full" in ended.stderr, ended


def test_a_full_cache_directory_costs_time_only(glovebox_binary, small_disk):
    fill(small_disk)
    env = {**os.environ, "XDG_CACHE_HOME": str(small_disk)}
    ended = subprocess.run(
        [glovebox_binary, "run", "-c", "print('all the same')"], capture_output=True, text=True, timeout=120, env=env
    )
    assert (ended.returncode, ended.stdout) == (0, "all the same\n"), ended
