"""A server for the SDKs' tests: `glovebox serve` on a port of its own, with a data directory that goes away."""

from __future__ import annotations

import os
import re
import selectors
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "sdk/python"))

START_S = 60.0
STOP_S = 30.0


@dataclass(frozen=True)
class Server:
    url: str
    socket_url: str


def wait_for_url(process: subprocess.Popen, socket: Path) -> str:
    """The URL that the server says it listens on, once its unix socket is there too."""
    seen = b""
    end = time.monotonic() + START_S
    with selectors.DefaultSelector() as selector:
        selector.register(process.stderr, selectors.EVENT_READ)
        while selector.select(max(0.0, end - time.monotonic())):
            chunk = os.read(process.stderr.fileno(), 1 << 16)
            seen += chunk
            found = re.search(rb"listening on (http://\S+)\s", seen)
            if found and socket.exists():
                return found[1].decode()
            if not chunk:
                break
    process.kill()
    pytest.fail(f"the server did not start:\n{seen.decode('utf-8', 'replace')}", pytrace=False)


@pytest.fixture(scope="session")
def server(glovebox_binary, tmp_path_factory):
    directory = tmp_path_factory.mktemp("server")
    socket = directory / "glovebox.sock"
    listen = ["--listen", f"unix:{socket}", "--listen", "127.0.0.1:0"]
    command = [glovebox_binary, "serve", *listen, "--data", directory / "data"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        url = wait_for_url(process, socket)
        # Nobody reads the log from here on, and a full pipe must not block the server.
        drain = subprocess.Popen(["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL)
        yield Server(url, f"unix://{socket}")
        process.terminate()
        try:
            assert process.wait(STOP_S) == 0, "the server did not end well"
        finally:
            drain.kill()
            drain.wait()
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def server_environment(server, monkeypatch):
    """The way that programs find the server."""
    monkeypatch.setenv("GLOVEBOX_URL", server.url)
    monkeypatch.delenv("GLOVEBOX_API_KEY", raising=False)
    return server
