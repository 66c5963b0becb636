"""Installs what was built, the way `make install` does."""

from __future__ import annotations

import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "build/release"


def install(prefix: str, destination: str = "", component: str = "programs") -> None:
    """Below `destination` + `prefix`."""
    command = ["cmake", "--install", BUILD, "--component", component, "--prefix", prefix]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "DESTDIR": destination}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
