"""Every example of the Python SDK's README, as a program of its own against a live server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from readme_examples import examples

SDK = Path(__file__).resolve().parents[2] / "sdk/python"
EXAMPLES = examples(SDK / "README.md", "python")


def test_the_readme_has_examples():
    assert len(EXAMPLES) >= 9


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in EXAMPLES])
def test_example(server_environment, tmp_path, code):
    environment = {**os.environ, "PYTHONPATH": str(SDK), "PYTHONWARNINGS": "error"}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
