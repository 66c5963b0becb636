"""Where programs of others are installed, and how a suite says that it could not be."""

from __future__ import annotations

from pathlib import Path

import pytest

BUILD = Path(__file__).resolve().parents[2] / "build/third_party"
SKIPPED = BUILD / "skipped"
INSTALL_S = 300


def not_run(suite: str, problem: str):
    """Skips, and leaves a line that the summaries of pytest and of `make test` show."""
    text = f"{suite} was NOT RUN: {problem}"
    BUILD.mkdir(parents=True, exist_ok=True)
    with SKIPPED.open("a", encoding="utf-8") as file:
        file.write(text + "\n")
    pytest.skip(text)
