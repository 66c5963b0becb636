"""The look at the host after each attack finds what it is there for."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from aftermath import Aftermath

ENDED, RUNNING = 4_000_001, 4_000_002  # larger than any process id


class Groups:
    """Directories in place of control groups."""

    def __init__(self, root: Path):
        self.root = root

    def make(self, name: str) -> str:
        (self.root / name).mkdir(parents=True)
        return str(self.root / name)

    def below(self) -> set[str]:
        return {str(path) for path in self.root.rglob("*")}


@pytest.fixture
def host(tmp_path):
    for name in ("groups", "tmp"):
        (tmp_path / name).mkdir()
    user = SimpleNamespace(uid=os.getuid())
    return SimpleNamespace(user=user, cgroups=Groups(tmp_path / "groups"), temporary=tmp_path / "tmp")


def test_a_host_that_stayed_as_it_was_is_no_complaint(host):
    host.cgroups.make("caller")
    (host.temporary / "old").touch()
    assert Aftermath(host).left_by(ENDED, 0) == []


def test_a_temporary_file_is_told_once(host):
    aftermath = Aftermath(host)
    (host.temporary / "left").touch()
    assert aftermath.left_by(ENDED, 0) == [f"temporary file {host.temporary}/left"]
    assert aftermath.left_by(ENDED, 0) == []


def test_a_group_is_held_against_the_run_that_made_it(host):
    aftermath = Aftermath(host)
    left = host.cgroups.make(f"glovebox.{ENDED}.0")
    running = host.cgroups.make(f"glovebox.{RUNNING}.0/below")
    assert aftermath.left_by(ENDED, 0) == [f"cgroup {left}"]
    assert f"cgroup {running}" in aftermath.left_by(RUNNING, 0)


def test_a_group_of_nobody_is_held_against_the_first_who_sees_it(host):
    aftermath = Aftermath(host)
    left = host.cgroups.make("escaped")
    assert aftermath.left_by(ENDED, 0) == [f"cgroup {left}"]


def test_what_goes_away_in_time_is_no_leftover(host):
    aftermath = Aftermath(host)
    group = host.cgroups.make(f"glovebox.{ENDED}.0")
    started = time.monotonic()
    with subprocess.Popen(["sh", "-c", f"sleep 0.1; rmdir {group}"]):
        assert aftermath.left_by(ENDED, 5) == []
    assert time.monotonic() - started < 4


def test_a_mount_and_a_queue_are_found(host, tmp_path):
    aftermath = Aftermath(host)
    made = subprocess.run(["ipcmk", "-Q"], capture_output=True, text=True, check=True).stdout.split()[-1]
    try:
        assert [line for line in aftermath.left_by(ENDED, 0) if "msg key" in line and f"id {made}" in line]
    finally:
        subprocess.run(["ipcrm", "-q", made], check=True)
    if subprocess.run(["mount", "-t", "tmpfs", "none", tmp_path], capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount")
    try:
        assert [line for line in aftermath.left_by(ENDED, 0) if line.startswith("mount") and str(tmp_path) in line]
    finally:
        subprocess.run(["umount", tmp_path], check=True)
