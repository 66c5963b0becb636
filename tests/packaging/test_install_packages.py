"""tools/install_packages.sh with an apt-get of our own: people see that something happens, and what went wrong."""

from __future__ import annotations

import os
import subprocess
import threading

import pytest

from support.packaging import REPOSITORY

SAYS = """
case "$1" in
  update) echo "Get:1 lists"; exit 0 ;;
esac
echo "The following NEW packages will be installed:"
echo "0 upgraded, 3 newly installed, 0 to remove and 9 not upgraded."
echo "Need to get 12.3 MB of archives."
for n in 1 2 3; do echo "Get:$n http://deb.debian.org/ package$n"; done
"""


@pytest.fixture
def tool(tmp_path):
    """The script with an apt-get that does what the test says, for a root who has none of the packages."""

    def start(apt_get: str) -> subprocess.Popen:
        for name, text in {"apt-get": SAYS + apt_get, "dpkg-query": "exit 1", "id": "echo 0"}.items():
            program = tmp_path / name
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        return subprocess.Popen(
            [REPOSITORY / "tools/install_packages.sh", "run"],
            env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    return start


def test_progress_is_shown_while_it_happens(tool, tmp_path):
    # The second half waits until the first has been seen.
    seen = tmp_path / "seen"
    wait = f'until [ -e {seen} ]; do sleep 0.05; done'
    process = tool(f'{wait}\nfor n in 1 2 3; do echo "Unpacking package$n"; echo "Setting up package$n"; done')
    rescue = threading.Timer(30, seen.touch)  # a script that says nothing until the end fails here, and does not hang
    rescue.start()
    lines = []
    while "  downloaded 3 of 3 packages" not in lines:
        assert process.poll() is None, lines
        lines.append(process.stdout.readline().rstrip("\n"))
    assert not seen.exists(), "it said nothing until the end"
    rescue.cancel()
    seen.touch()
    rest, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    assert lines[0].startswith("Reading the lists") and lines[1].startswith("Installing "), lines
    assert "  Need to get 12.3 MB of archives." in lines
    assert "  unpacked 3 of 3 packages\n" in rest and rest.endswith("  set up 3 of 3 packages\n"), rest


def test_a_failure_shows_the_end_of_what_apt_said(tool):
    process = tool('echo "E: no space left" >&2; exit 100')
    out, errors = process.communicate(timeout=30)
    assert process.returncode == 1, out
    assert "E: no space left" in errors and "Installing failed" in errors
