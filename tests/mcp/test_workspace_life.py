"""What a service keeps of workspaces on its disk, and for how long."""

from __future__ import annotations

import time

from support.glovebox_runner import slowness
from support.mcp_client import HttpClient
from support.service import Service


def kept_files(service: Service) -> list[str]:
    place = service.data / "workspaces"
    return [str(path) for path in place.rglob("*") if path.is_file() and path.name != "lock"]


def write_a_file(service: Service):
    client = HttpClient(service)
    client.initialize()
    answer = client.call("write_file", path="secret.txt", content="forty-two").json["result"]
    assert answer["structuredContent"]["workspace"].startswith("ws_"), answer
    return client


def test_what_expires_leaves_the_disk_by_itself(glovebox_binary, tmp_path):
    service = Service(glovebox_binary, tmp_path / "data", config="[workspaces]\nttl_s = 1\n")
    try:
        client = write_a_file(service)
        assert len(kept_files(service)) == 1
        deadline = time.monotonic() + 20 * slowness()
        while kept_files(service):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert client.call("read_file", path="secret.txt").json["result"]["isError"]
    finally:
        assert service.end() == 0, service.lines


def test_nothing_outlives_the_service_not_even_a_killed_one(glovebox_binary, tmp_path):
    killed = Service(glovebox_binary, tmp_path / "data")
    write_a_file(killed)
    assert "secret.txt" not in "".join(kept_files(killed)), "no name of a program's reaches the disk"
    killed.kill()
    assert len(kept_files(killed)) == 1
    next_one = Service(glovebox_binary, tmp_path / "data")
    try:
        assert kept_files(next_one) == []
        write_a_file(next_one)
    finally:
        assert next_one.end() == 0, next_one.lines
    assert kept_files(next_one) == []
