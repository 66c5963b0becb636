"""Policies that tests bring along."""

from __future__ import annotations

# Asks about one call, so that a test decides by the program's text whether a person is needed.
ASKING = """
[[rule]]
id = "pid"
verdict = "ask"
call = ["os.getpid"]
reason = "a test wants to be asked"
suggestion = "do without"
match = ["import os\\nos.getpid()"]
no_match = ["import os"]
"""
