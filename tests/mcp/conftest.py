from __future__ import annotations

import pytest

from support.mcp_client import HttpClient, PipeClient
from support.service import Service

# A policy that asks a person, for everything about approvals.
ASKING = """
name = "asking"
description = "asks before a program changes its directory"
languages = ["python"]

[[rule]]
id = "changes_directory"
verdict = "ask"
call = ["os.chdir"]
reason = "it leaves its work directory"
suggestion = "use paths relative to it"
match = ["import os\\nos.chdir('/')"]
no_match = ["import os\\nos.listdir('.')"]
"""


@pytest.fixture(scope="session")
def policies(tmp_path_factory):
    directory = tmp_path_factory.mktemp("policies")
    (directory / "asking.toml").write_text(ASKING)
    return directory


@pytest.fixture
def start_pipe(glovebox_binary, policies, tmp_path):
    """Starts `glovebox mcp`; whatever is left of it is ended."""
    started = []

    def start(*arguments: str) -> PipeClient:
        started.append(PipeClient(glovebox_binary, "--policy-dir", str(policies), *arguments, cwd=tmp_path))
        return started[-1]

    yield start
    for client in started:
        if client.process.poll() is None:
            assert client.end() == 0, client.errors


@pytest.fixture
def pipe(start_pipe):
    client = start_pipe()
    client.initialize()
    return client


@pytest.fixture(scope="module")
def service(glovebox_binary, policies, tmp_path_factory):
    """One service for tests that leave it as they found it."""
    running = Service(glovebox_binary, tmp_path_factory.mktemp("mcp") / "data", "--policy-dir", str(policies))
    yield running
    assert running.end() == 0, running.lines


@pytest.fixture
def http(service):
    return HttpClient(service)


@pytest.fixture
def session(http):
    http.initialize()
    return http


@pytest.fixture
def start_service(glovebox_binary, policies, tmp_path):
    """Services for tests that change them; whatever is left of them is ended."""
    started = []

    def start(*arguments: str, config: str = "") -> Service:
        place = tmp_path / f"data{len(started)}"
        started.append(Service(glovebox_binary, place, "--policy-dir", str(policies), *arguments, config=config))
        return started[-1]

    yield start
    for running in started:
        if running.process.poll() is None:
            assert running.end() == 0, running.lines
