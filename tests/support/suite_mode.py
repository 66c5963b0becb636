"""The mode of a suite, for its fixture: opened for the whole session, skipped where the machine lacks what it takes."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path

import pytest

from support.command_line import CommandLine
from support.modes import ModeUnavailable, open_mode


@contextlib.contextmanager
def open_or_skip(name: str, binary: Path):
    try:
        with open_mode(name, binary) as opened:
            yield opened
    except ModeUnavailable as error:
        pytest.skip(f"mode {name} needs {error}")


@contextlib.contextmanager
def open_with_places(name: str, binary: Path):
    """Who starts the binary, with its own cache, data and settings."""
    with open_or_skip(name, binary) as opened:
        caller = opened.glovebox.caller
        places = {f"XDG_{kind}_HOME": str(opened.make_directory(kind.lower())) for kind in ("CACHE", "DATA", "CONFIG")}
        opened.glovebox.caller = dataclasses.replace(caller, env=caller.env | places)
        CommandLine(opened.glovebox)("explain")  # the digest of the image takes seconds the first time
        yield opened
