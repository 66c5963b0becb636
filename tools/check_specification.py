#!/usr/bin/env python3
"""Checks that SPECIFICATION.md keeps its word: every promise has requirements, and every test it names exists.

    tools/check_specification.py [REPOSITORY]

A reference is text in backticks with a slash: `path` (a file, or a folder with something in it) or `path::name` (a test
function of Python, or Suite.Name of GoogleTest). Also checks that relative links of the repository's pages lead somewhere.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PROMISE = re.compile(r"^\*\*(\d+)\.\*\* ", re.MULTILINE)
REFERENCE = re.compile(r"`([\w./-]+/[\w./-]+?)(?:::([\w.]+))?`")
REQUIREMENT = re.compile(r"^(?:[CLIPEFVXBKODAGSMTUHN]\d+|README [1-3])$")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
PAGES = ("*.md", "contract/*.md", "docs/**/*.md", "tests/**/*.md")


def has_test(path: Path, name: str) -> bool:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return re.search(rf"^\s*(?:async )?def {re.escape(name)}\(", text, re.MULTILINE) is not None
    suite, dot, test = name.partition(".")
    pattern = rf"^TEST(?:_F|_P)?\({re.escape(suite)},\s*{re.escape(test)}\)"
    return bool(dot) and re.search(pattern, text, re.MULTILINE) is not None


def check_reference(root: Path, path_text: str, name: str | None) -> str | None:
    """What is wrong with it, or None."""
    path = root / path_text
    if not path.exists():
        return f"`{path_text}` does not exist"
    if path.is_dir():
        if name:
            return f"`{path_text}` is a folder and holds no test {name}"
        return None if any(entry.is_file() for entry in path.iterdir()) else f"`{path_text}` holds no file"
    if name and not has_test(path, name):
        return f"`{path_text}` has no test {name}"
    return None


def check_promise(root: Path, number: int, text: str) -> list[str]:
    problems = []
    _, marker, rest = text.partition("*Requires* ")
    required, held_marker, held = rest.partition("*Held by* ")
    if not marker or not held_marker:
        return [f"promise {number} needs a line *Requires* and a line *Held by*"]
    ids = required.strip().rstrip(".").split(", ")
    problems += [f"promise {number}: {each!r} is no requirement" for each in ids if not REQUIREMENT.match(each)]
    references = REFERENCE.findall(held)
    if not references:
        problems.append(f"promise {number} names no test")
    for path, name in references:
        if problem := check_reference(root, path, name or None):
            problems.append(f"promise {number}: {problem}")
    return problems


def check_specification(root: Path) -> tuple[int, list[str]]:
    text = (root / "SPECIFICATION.md").read_text(encoding="utf-8")
    starts = list(PROMISE.finditer(text))
    problems = [] if starts else ["SPECIFICATION.md makes no promise"]
    for index, start in enumerate(starts):
        number = int(start.group(1))
        if number != index + 1:
            problems.append(f"promise {number} should have the number {index + 1}")
        end = starts[index + 1].start() if index + 1 < len(starts) else len(text)
        body = text[start.end() : end].split("\n## ")[0]
        problems += check_promise(root, number, body)
    return len(starts), problems


def check_links(root: Path) -> list[str]:
    problems = []
    for page in sorted({page for pattern in PAGES for page in root.glob(pattern)}):
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            if "://" in target or target.startswith("mailto:"):
                continue
            if not (page.parent / target).exists():
                problems.append(f"{page.relative_to(root)}: the link {target} leads nowhere")
    return problems


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    promises, problems = check_specification(root)
    problems += check_links(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"{promises} promises, each held by tests that exist")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
