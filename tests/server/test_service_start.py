"""Starting, being ready, and the bounds that hold over all calls together."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from support import ordinary_user
from support.glovebox_runner import slowness
from support.service import Service


def run_serve(binary, *words, prefix=(), timeout=60, **more):
    return subprocess.run(
        [*prefix, binary, "serve", "--listen", "127.0.0.1:0", *words],
        capture_output=True, text=True, timeout=timeout * slowness(), **more,
    )  # fmt: skip


def test_it_is_ready_when_a_cell_can_be_made(start_service):
    service = start_service("--cold")
    answer = service.connect()("GET", "/readyz")
    assert answer.status == 200, answer
    assert {name: check["ok"] for name, check in answer.json["checks"].items()} == {
        "engine": True, "store": True, "disk": True, "admission": True,
    }  # fmt: skip


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root (to mount a small disk)")
def test_a_full_disk_is_told_and_survived(glovebox_binary, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk], check=True)
    try:
        service = Service(glovebox_binary, disk / "data", "--cold")
        call = service.connect()
        assert call("GET", "/readyz").status == 200
        with open(disk / "ballast", "wb") as ballast:
            try:
                while ballast.write(b"x" * 65536):
                    ballast.flush()
            except OSError:
                pass
        ready = call("GET", "/readyz")
        assert ready.status == 503 and not ready.json["checks"]["disk"]["ok"], ready
        # What cannot be written down is not answered.
        answer = call.run("import os\nprint(os.urandom(400_000).hex())", cache="off")
        assert answer.status == 500 and "make room" in answer.json["hint"], answer
        (disk / "ballast").unlink()
        assert call.run("print(1)", cache="off").json["stdout"] == "1\n"
        assert call("GET", "/readyz").status == 200
        assert service.end() == 0
        verify = subprocess.run([glovebox_binary, "audit", "verify", "--data", disk / "data"], capture_output=True, text=True)
        assert verify.returncode == 0, verify.stdout
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def kill_launchers(service) -> None:
    children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children").read_text().split()
    launchers = [pid for pid in children if Path(f"/proc/{pid}/comm").read_text().startswith("glovebox-launch")]
    assert launchers
    for pid in launchers:
        os.kill(int(pid), 9)


def test_a_launcher_that_dies_is_replaced(start_service):
    service = start_service("--cold")
    call = service.connect()
    kill_launchers(service)
    answer = call.run("print(1)").json
    assert answer["success"] and answer["stdout"] == "1\n", answer
    assert call("GET", "/readyz").status == 200


def test_it_is_not_ready_when_no_cell_can_be_made(glovebox_binary, start_service, tmp_path):
    """There is no launcher any more: nothing runs, and a load balancer has to hear of it."""
    for program in ("glovebox", "glovebox-launcher"):
        shutil.copy2(glovebox_binary.parent / program, tmp_path / program)
    service = start_service("--cold", binary=tmp_path / "glovebox")
    call = service.connect()
    (tmp_path / "glovebox-launcher").unlink()
    kill_launchers(service)
    deadline = time.monotonic() + 30 * slowness()
    while (answer := call("GET", "/readyz")).status == 200:
        assert time.monotonic() < deadline, answer
        time.sleep(0.5)
    assert answer.status == 503 and answer.headers["retry-after"]
    assert not answer.json["checks"]["engine"]["ok"] and answer.json["checks"]["engine"]["detail"], answer
    assert answer.json["checks"]["store"]["ok"]


@pytest.fixture
def someone(tmp_path_factory):
    """A user without control groups."""
    if missing := ordinary_user.missing_capability():
        pytest.skip(f"needs {missing}")
    with ordinary_user.ordinary_user("gbserve") as user:
        home = Path(f"/tmp/gbserve-{os.getpid()}")
        home.mkdir(mode=0o700)
        os.chown(home, user.uid, user.gid)
        yield user, home
        subprocess.run(["rm", "-rf", home], check=True)


def test_it_does_not_start_where_limits_cannot_be_enforced(glovebox_binary, someone):
    user, home = someone
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    ended = run_serve(glovebox_binary, "--data", home / "data", prefix=user.command_prefix(), env=environment)
    assert ended.returncode == 125, ended
    assert "cannot enforce the limits" in ended.stderr and "--degraded" in ended.stderr
    assert "listening" not in ended.stderr


def test_degraded_is_said_at_the_start(glovebox_binary, someone):
    user, home = someone
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    command = [*user.command_prefix(), glovebox_binary, "serve", "--listen", "127.0.0.1:0", "--degraded"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        lines = []
        for line in process.stderr:
            lines.append(line)
            if line.startswith("records in"):
                break
        process.terminate()
        process.stderr.read()
    assert process.returncode == 0 and any("degraded: limits are watched by polling" in line for line in lines), lines


def test_a_deep_data_directory_has_its_socket_too(glovebox_binary, tmp_path, start_service):
    data = "/".join(["d" * 50] * 4)
    (tmp_path / data).parent.mkdir(parents=True)
    service = start_service("--cold", data=data)
    assert len(str(service.data)) > 200
    assert service.connect().run("print(1)").json["stdout"] == "1\n"
    state = json.loads(service.command("admin", "stop", "--reason", "deep", "--json"))
    assert state["stopped"] and service.connect().run("print(1)", cache="off").status == 503
    service.command("admin", "resume", "--reason", "deep")


def test_bodies_of_all_calls_together_are_bounded(start_service):
    service = start_service("--cold", config="[serve]\nall_bodies_mib = 8\nbody_mib = 6\n")
    held = threading.Event()
    statuses = []

    def hold():
        call = service.connect()
        body = {"code": "import time\ntime.sleep(4)", "stdin": "x" * (5 << 20), "cache": "off"}
        statuses.append(call("POST", "/v1/runs", body).status)
        call.close()

    holder = threading.Thread(target=hold)
    holder.start()
    call = service.connect()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and not held.is_set():
        metrics = call("GET", "/metrics").body.decode()
        amount = next(line for line in metrics.splitlines() if line.startswith("glovebox_http_body_bytes "))
        if float(amount.split()[1]) > 4 << 20:
            held.set()
        time.sleep(0.05)
    assert held.is_set()
    refused = service.connect()("POST", "/v1/runs", {"code": "1", "stdin": "x" * (5 << 20)})
    assert refused.status == 503 and refused.json["code"] == "overloaded" and refused.headers["retry-after"], refused
    assert call.run("print(1)", cache="off").status == 200, "small calls always pass"
    holder.join()
    assert statuses == [200]
    again = service.connect()("POST", "/v1/runs", {"code": "1", "stdin": "x" * (5 << 20), "cache": "off"})
    assert again.status == 200, again


def test_what_is_in_the_way_is_told(glovebox_binary, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = subprocess.run(
            [glovebox_binary, "serve", "--listen", f"127.0.0.1:{port}", "--data", tmp_path / "data"],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert ended.returncode == 125 and f"127.0.0.1:{port}" in ended.stderr and "in use" in ended.stderr, ended
    (tmp_path / "file").write_text("")
    ended = run_serve(glovebox_binary, "--data", tmp_path / "file" / "data")
    assert ended.returncode == 125 and str(tmp_path / "file") in ended.stderr, ended
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "glovebox.db").write_bytes(b"this is no database" * 1000)
    ended = run_serve(glovebox_binary, "--data", broken)
    assert ended.returncode == 125 and str(broken) in ended.stderr and "backup" in ended.stderr, ended


def test_the_service_manager_hears_when_it_is_ready(glovebox_binary, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60 * slowness())
        environment = dict(os.environ, NOTIFY_SOCKET=str(tmp_path / "notify"))
        command = [glovebox_binary, "serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data", "--cold"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment) as process:
            assert manager.recv(100) == b"READY=1"
            process.terminate()
            assert manager.recv(100) == b"STOPPING=1"
        assert process.returncode == 0
