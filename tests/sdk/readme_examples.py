"""The examples of a README: each fenced block of a language is a program of its own."""

from __future__ import annotations

import re
from pathlib import Path


def examples(readme: Path, language: str) -> list[tuple[str, str]]:
    """(name, program) pairs, named after the heading that they stand under."""
    found = []
    heading, counts = "", {}
    pattern = re.compile(r"^(?:#+ (?P<heading>[^\n]+)|```(?P<language>\w*)\n(?P<code>.*?)^```)$", re.M | re.S)
    for match in pattern.finditer(readme.read_text(encoding="utf-8")):
        if match["heading"]:
            heading = match["heading"]
        elif match["language"] == language:
            counts[heading] = counts.get(heading, 0) + 1
            found.append((f"{heading} {counts[heading]}", match["code"]))
    return found
