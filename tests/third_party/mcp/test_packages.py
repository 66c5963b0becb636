"""What is installed is exactly what was pinned, from wherever packages come here."""

from __future__ import annotations

import json
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent


def test_every_package_is_pinned_by_its_hash_and_no_registry_is_named():
    text = (HERE / "package-lock.json").read_text(encoding="utf-8")
    packages = json.loads(text)["packages"]
    assert '"resolved"' not in text
    unpinned = [name for name, package in packages.items() if name and "integrity" not in package]
    assert unpinned == []
    asked = packages[""]["dependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+(-[a-z0-9.]+)?", version) for version in asked.values()), asked


def test_every_python_package_is_pinned_by_its_hash():
    text = (HERE / "requirements.txt").read_text(encoding="utf-8")
    pins = re.findall(r"^[\w.-]+==\S+ \\\n    --hash=sha256:[0-9a-f]{64}$", text, re.MULTILINE)
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) == 2 * len(pins) > 0
