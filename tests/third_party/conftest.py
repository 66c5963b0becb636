"""Programs of others that test us. They come from package indexes, pinned by hash, into a place below build/.

Without an index the tests are skipped, and loudly: a line in the summary of pytest and one in that of `make test`.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from support.third_party import BUILD, INSTALL_S, SKIPPED, not_run

HERE = Path(__file__).resolve().parent


def pytest_configure(config):
    SKIPPED.unlink(missing_ok=True)


def pytest_terminal_summary(terminalreporter):
    if SKIPPED.exists():
        terminalreporter.section("NOT RUN", sep="!", red=True)
        terminalreporter.write_line(SKIPPED.read_text())


def install(venv: Path) -> str:
    """Empty when all is there, else why not. What is not what was pinned is no reason to skip."""
    if (venv / "complete").exists():
        return ""
    subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True, timeout=INSTALL_S)
    pip = [venv / "bin/pip", "install", "--quiet", "--retries", "1", "--timeout", "20", "--disable-pip-version-check"]
    wanted = ["--require-hashes", "--only-binary", ":all:", "-r", HERE / "requirements.txt"]
    done = subprocess.run([*pip, *wanted], capture_output=True, text=True, timeout=INSTALL_S)
    if done.returncode == 0:
        (venv / "complete").touch()
        return ""
    assert "DO NOT MATCH THE HASHES" not in done.stderr, done.stderr
    return (done.stderr.strip().splitlines() or ["pip failed without a word"])[-1]


@pytest.fixture(scope="session")
def schemathesis() -> Path:
    """The program."""
    BUILD.mkdir(parents=True, exist_ok=True)
    pinned = hashlib.sha256((HERE / "requirements.txt").read_bytes()).hexdigest()[:16]
    venv = BUILD / f"venv-{pinned}"
    try:
        problem = install(venv)
    except subprocess.TimeoutExpired:
        problem = f"installing took more than {INSTALL_S} s"
    if problem:
        not_run("Schemathesis", f"it could not be installed ({problem})")
    return venv / "bin/schemathesis"
