"""`admin`: through a service where one runs, else on its data directory.

What goes over the wire, and what comes back from a service that is broken or hostile, is told by a stand-in of a few
lines; test_beside_a_service.py has the real one.
"""

from __future__ import annotations

import contextlib
import fcntl
import http.server
import json
import os
import socketserver
import threading

import pytest

STOPPED = {"stopped": True, "reason": "an incident", "since": "2025-11-16T02:03:04.005Z", "by": "ops"}
GOING = {"stopped": False, "reason": None, "since": None, "by": None}


class Service:
    def __init__(self):
        self.calls: list[tuple] = []
        self.status = 200
        self.body: bytes | None = None
        self.state = GOING

    def handler(self):
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                service.calls.append((self.command, self.path, self.headers.get("Authorization"), body))
                if service.status == 200 and self.command == "POST":
                    service.state = STOPPED if self.path.endswith("/stop") else GOING
                answer = service.body if service.body is not None else json.dumps(service.state).encode()
                self.send_response(service.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

            def address_string(self):
                return "client"

        return Handler


@contextlib.contextmanager
def serving(server):
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def service(records, mode):
    """Holds the directory's lock and listens on its socket, as a service does."""
    records("tenants", "set", "x", "--concurrency", "1")
    service = Service()
    path = records.directory / "glovebox.sock"
    with open(records.directory / "serve.lock", "w") as lock:
        os.chown(lock.name, mode.user.uid, mode.user.gid)
        fcntl.flock(lock, fcntl.LOCK_EX)
        server = socketserver.ThreadingUnixStreamServer(str(path), service.handler())
        os.chown(path, mode.user.uid, mode.user.gid)
        with serving(server):
            yield service


def test_without_a_service_the_next_one_starts_stopped(records):
    state = records.json("admin", "stop", "--reason", "leaked credentials")
    assert state["stopped"] and state["reason"] == "leaked credentials" and state["by"].startswith("user ")
    assert records.json("admin", "state") == state
    assert records.json("admin", "stop", "--reason", "another") == state, "the first reason stays"
    assert "leaked credentials" in records("admin", "state").out
    refused = records("run", "--record", "-c", "print(1)")
    assert refused.status == 125 and refused.out == "" and "leaked credentials" in refused.err, refused

    assert records.json("admin", "resume", "--reason", "rotated") == GOING
    assert records("run", "--record", "-c", "print(1)").out == "1\n"
    assert records.json("admin", "resume", "--reason", "again") == GOING
    kinds = [entry["kind"] for entry in records.json("audit", "log")["entries"]]
    assert kinds.count("service_stopped") == kinds.count("service_resumed") == 1


def test_a_running_service_is_asked_through_its_socket(records, service):
    assert records.json("admin", "state") == GOING
    assert records.json("admin", "stop", "--reason", 'it "leaks"') == STOPPED
    assert records.json("admin", "resume", "--reason", "ok") == GOING
    assert [(method, path) for method, path, *_ in service.calls] == [
        ("GET", "/v1/admin/state"),
        ("POST", "/v1/admin/stop"),
        ("POST", "/v1/admin/resume"),
    ]
    assert json.loads(service.calls[1][3]) == {"reason": 'it "leaks"'}
    assert all(key is None for _, _, key, _ in service.calls), "the socket knows who we are"
    assert records.execute("SELECT count(*) FROM stopped") == [(0,)], "the store is the service's to change"


def test_a_key_for_another_place_is_not_shown_to_the_socket(records, service):
    records("admin", "state", env={"GLOVEBOX_API_KEY": "gbk_other"})
    records("admin", "state", "--key", "gbk_this")
    assert [call[2] for call in service.calls] == [None, "Bearer gbk_this"]


def test_a_service_elsewhere_is_asked_by_its_url(glovebox):
    service = Service()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), service.handler())
    url = f"http://127.0.0.1:{server.server_address[1]}"
    with serving(server):
        assert json.loads(glovebox("admin", "state", "--url", url, "--json").out) == GOING
        stop = glovebox("admin", "stop", "--reason", "r", "--url", url, env={"GLOVEBOX_API_KEY": "gbk_env"})
        assert stop.status == 0 and "an incident" in stop.out and "the service is stopped" in stop.out, stop
        env = {"GLOVEBOX_API_KEY": "gbk_b"}
        glovebox("admin", "resume", "--reason", "r", "--url", url + "/", "--key", "gbk_a", env=env)
    assert [call[2] for call in service.calls] == [None, "Bearer gbk_env", "Bearer gbk_a"]
    gone = glovebox("admin", "state", "--url", url)
    assert gone.status == 125 and "cannot connect" in gone.err, gone


def test_a_refusal_of_the_service_is_told(records, service):
    service.status = 403
    service.body = json.dumps({"title": "No.", "status": 403, "detail": "the key lacks \x1b[31madmin"}).encode()
    ended = records("admin", "stop", "--reason", "r")
    assert ended.status == 125 and "403" in ended.err and "the key lacks" in ended.err, ended
    assert "\x1b" not in ended.err and "--key" in ended.err


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"stopped":true}', b"<html>", b"x" * 200_000])
def test_an_answer_that_is_none_is_refused(records, service, body):
    service.body = body
    ended = records("admin", "stop", "--reason", "r")
    assert ended.status == 125 and ended.out == "" and ended.err, ended


def test_a_service_that_cannot_be_reached_is_not_bypassed(records, mode):
    """It would go on, and we would have said that it is stopped."""
    records("tenants", "set", "x", "--concurrency", "1")
    with open(records.directory / "serve.lock", "w") as lock:
        os.chown(lock.name, mode.user.uid, mode.user.gid)
        fcntl.flock(lock, fcntl.LOCK_EX)
        ended = records("admin", "stop", "--reason", "r")
    assert ended.status == 125 and "--url" in ended.err, ended
    assert not records.json("admin", "state")["stopped"]


def test_a_socket_that_a_dead_service_left_does_not_matter(records):
    records("tenants", "set", "x", "--concurrency", "1")
    socketserver.UnixStreamServer(str(records.directory / "glovebox.sock"), None).server_close()
    assert (records.directory / "glovebox.sock").exists()
    assert records.json("admin", "stop", "--reason", "r")["stopped"]


@pytest.mark.parametrize(
    "words, told",
    [
        (("stop",), "--reason"),
        (("resume",), "--reason"),
        (("stop", "--reason", ""), "--reason"),
        (("stop", "--reason", "a\x1b[31m"), "--reason"),
        (("stop", "--reason", "x" * 1001), "--reason"),
        (("pause", "--reason", "x"), "pause"),
        (("state", "--url", "http://127.0.0.1:1"), "--data"),
    ],
)
def test_wrong_words_are_refused(records, words, told):
    ended = records("admin", *words)
    assert ended.status == 125 and told in ended.err, ended
    assert not (records.directory / "glovebox.db").exists()


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1:1", "example.org:80", "http://127.0.0.1", "127.0.0.1:99999", "nonsense"]
)
def test_a_url_that_cannot_be_used_is_told(glovebox, url):
    ended = glovebox("admin", "state", "--url", url)
    assert ended.status == 125 and ended.err, ended
