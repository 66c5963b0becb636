from __future__ import annotations

from pathlib import Path

import pytest

from support.service import Service


@pytest.fixture
def start_service(glovebox_binary, tmp_path):
    """Starts services; whatever is left of them is ended."""
    started = []

    def start(*arguments: str, data: str = "data", config: str = "", binary: Path = glovebox_binary) -> Service:
        started.append(Service(binary, tmp_path / data, *arguments, config=config))
        return started[-1]

    yield start
    for service in started:
        if service.process.poll() is None:
            assert service.end() == 0, service.lines


@pytest.fixture(scope="module")
def service(glovebox_binary, tmp_path_factory):
    """One service for tests that leave it as they found it."""
    running = Service(glovebox_binary, tmp_path_factory.mktemp("service") / "data")
    yield running
    assert running.end() == 0, running.lines


@pytest.fixture
def call(service):
    connection = service.connect()
    yield connection
    connection.close()
