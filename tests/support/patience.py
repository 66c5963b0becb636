"""Waiting for what comes soon, but not at once."""

from __future__ import annotations

import time


def until(condition, what: str, patience_s: float = 20):
    """What the condition gives once it holds; fails with `what` when patience ends."""
    deadline = time.monotonic() + patience_s
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, what
        time.sleep(0.02)
