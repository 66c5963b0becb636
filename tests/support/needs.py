"""What a test needs of the host beyond Glovebox itself; without it the test is skipped by name."""

from __future__ import annotations

import os
import shutil

import pytest


def needs_module(*names):
    """Skips where the host's Python, which is the image, lacks a library."""
    places = ("/usr/lib/python3/dist-packages", "/usr/local/lib/python3.11/dist-packages")
    absent = [name for name in names if not any(os.path.exists(f"{place}/{name}") for place in places)]
    return pytest.mark.skipif(bool(absent), reason=f"needs the Python library {', '.join(absent)}")


def needs_command(*names):
    absent = [name for name in names if shutil.which(name, path="/usr/local/bin:/usr/bin:/bin") is None]
    return pytest.mark.skipif(bool(absent), reason=f"needs the command {', '.join(absent)}")
