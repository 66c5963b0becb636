"""The parts of the Python SDK that need no server: what it sends, and what it makes of hostile answers."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import io
import json
import re
import socket
import threading

import glovebox
import pytest
from glovebox import calls
from glovebox.errors import Problem, api_error
from glovebox.events import EventDecoder
from glovebox.progress import Progress, ProgressBar
from glovebox.request import INLINE_BYTES, from_tool_arguments, to_payload
from glovebox.result import safe_destination
from glovebox.server_url import parse_url

EVENTS = (
    'event: state\ndata: {"state":"läuft"}\n\n: keep-alive\n\nevent: stdout\ndata: a\ndata: b\n\ndata: x\n\n'
).encode()
DECODED = [("state", '{"state":"läuft"}'), ("stdout", "a\nb"), ("message", "x")]


class TestEvents:
    @pytest.mark.parametrize("size", [1, 2, 3, 7, len(EVENTS)])
    def test_are_the_same_however_they_are_cut(self, size):
        decoder = EventDecoder(1000)
        found = []
        for begin in range(0, len(EVENTS), size):
            found += decoder.feed(EVENTS[begin : begin + size])
        assert found == DECODED

    def test_may_end_their_lines_like_the_standard_allows(self):
        assert EventDecoder(1000).feed(EVENTS.replace(b"\n", b"\r\n")) == DECODED

    def test_are_bounded(self):
        decoder = EventDecoder(1000)
        with pytest.raises(glovebox.InvalidReply):
            for _ in range(200):
                decoder.feed(b"data: 0123456789\n")
        with pytest.raises(glovebox.InvalidReply):
            EventDecoder(1000).feed(b"x" * 1001)


class TestRequests:
    def test_send_only_what_was_said(self):
        assert to_payload("print(1)") == ({"language": "python", "code": "print(1)"}, [])

    def test_keep_every_field(self):
        payload, uploads = to_payload(
            glovebox.RunRequest(
                "x", "bash", "in", ["a"], {"K": "v"}, {"t.txt": "t", "b.bin": b"\xff"}, None, {"wall_ms": 5}, ["h:1"],
                "vm", "strict", ["*.png"], {"invariants": []}, "off", "key", True,
            )
        )
        assert uploads == []
        assert payload == {
            "language": "bash", "code": "x", "stdin": "in", "args": ["a"], "env": {"K": "v"},
            "files": [{"path": "t.txt", "content": "t"}, {"path": "b.bin", "content": "/w==", "encoding": "base64"}],
            "input": None, "limits": {"wall_ms": 5}, "network": {"allow": ["h:1"]}, "isolation": "vm",
            "policy": "strict", "artifacts": ["*.png"], "expect": {"invariants": []}, "cache": "off",
            "idempotency_key": "key",
            "deterministic": True,
        }

    def test_name_large_files_by_their_hash(self, tmp_path):
        data = b"\0" * (INLINE_BYTES + 1)
        (tmp_path / "big.bin").write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        for files in ({"big.bin": data}, {"big.bin": tmp_path / "big.bin"}, [tmp_path / "big.bin"]):
            payload, uploads = to_payload(glovebox.RunRequest("x", files=files))
            assert payload["files"] == [{"path": "big.bin", "blob": "sha256:" + digest}]
            assert [(upload.sha256, upload.size) for upload in uploads] == [(digest, len(data))]

    def test_refuse_one_text_where_a_list_is_meant(self):
        for wrong in ({"artifacts": "*.png"}, {"args": "-v"}, {"files": "data.csv"}):
            with pytest.raises(TypeError):
                to_payload(glovebox.RunRequest("x", **wrong))

    def test_keep_headers_and_paths_clean(self):
        with pytest.raises(ValueError):
            calls.create_run({"code": ""}, task="a\r\nX-Evil: 1")
        for path in ("../x", "a//b", "."):
            with pytest.raises(ValueError):
                calls.get_artifact("run_1", path)
        assert calls.get_artifact("run_1", "a b/c?#%.txt").target == "/v1/runs/run_1/artifacts/a%20b/c%3F%23%25.txt"

    def test_of_a_model_have_no_say_about_grants(self):
        assert from_tool_arguments('{"code": "x", "stdin": null}') == {"code": "x"}
        for hostile in ({"code": "x", "network": {"allow": ["h:1"]}}, {"limits": {}}, [], "[]"):
            with pytest.raises(ValueError):
                from_tool_arguments(hostile)


class TestUrls:
    def test_of_every_kind(self):
        assert parse_url("https://box.example/glove/").prefix == "/glove"
        assert parse_url("http://[::1]:8080").host_header == "[::1]:8080"
        assert parse_url("unix:///run/g%20b.sock").socket_path == "/run/g b.sock"

    def test_come_from_the_environment(self, monkeypatch):
        monkeypatch.setenv("GLOVEBOX_URL", "http://other:99")
        assert parse_url(None).host_header == "other:99"
        monkeypatch.delenv("GLOVEBOX_URL")
        assert parse_url(None).host_header == "127.0.0.1:7070"

    def test_that_make_no_sense_are_refused(self):
        for url in ("ftp://x", "host:7070", "http://u:p@x", "http://x?k=1", "unix://relative", "http://"):
            with pytest.raises(ValueError):
                parse_url(url)


class TestArtifactNames:
    @pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../x", "", "a//b", "./a", "a\0b"])
    def test_cannot_leave_the_directory(self, tmp_path, name):
        with pytest.raises(ValueError):
            safe_destination(tmp_path / "out", name)

    def test_cannot_go_through_links(self, tmp_path):
        out = tmp_path / "out"
        out.mkdir()
        (out / "link").symlink_to(tmp_path)
        (out / "file").symlink_to(tmp_path / "elsewhere")
        for name in ("link/x", "file"):
            with pytest.raises(ValueError):
                safe_destination(out, name)
        assert safe_destination(out, "a/b.txt") == out / "a/b.txt"


class TestRetrying:
    def delay(self, status, retry_after, **changes):
        error = api_error(Problem(status, "x"), retry_after)
        call = calls.Call("POST", "/", repeatable=changes.get("repeatable", True))
        return calls.RetryPolicy(3, 60).delay(error, call, changes.get("attempt", 0))

    def test_waits_as_long_as_the_server_says(self):
        assert 2.0 <= self.delay(429, 2.0) <= 2.25
        assert self.delay(503, 0.0) is not None

    def test_gives_up_when_it_is_not_safe_or_makes_no_sense(self):
        assert self.delay(429, None) is None
        assert self.delay(429, 61.0) is None
        assert self.delay(429, 1.0, attempt=3) is None
        assert self.delay(429, 1.0, repeatable=False) is None
        assert self.delay(500, 1.0) is None

    def test_only_runs_with_a_key_are_repeatable(self):
        assert not calls.create_run({"code": ""}, task=None).repeatable
        assert calls.create_run({"code": "", "idempotency_key": "k"}, task=None).repeatable
        assert not calls.create_batch({"runs": [{"idempotency_key": "k"}, {}]}, accept="x").repeatable


class Terminal(io.StringIO):
    def isatty(self):
        return True


class TestProgressBar:
    def test_is_drawn_on_a_terminal_only(self):
        for stream, drawn in ((Terminal(), True), (io.StringIO(), False)):
            bar = ProgressBar(stream, clock=lambda: 0.0)
            bar(Progress(1, 2, 0, 1))
            bar.finish()
            assert ("1/2  1 failed" in stream.getvalue()) is drawn


def whole_request(connection: socket.socket) -> bytes:
    request = b""
    while True:
        head, end, body = request.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.I)
        if end and len(body) >= (int(length[1]) if length else 0):
            return request
        chunk = connection.recv(1 << 16)
        if not chunk:
            return request
        request += chunk


@contextlib.contextmanager
def answering(*answers: bytes):
    """A server that gives each connection one of the answers, whatever it was asked, and hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))
    asked = []

    def serve():
        for answer in answers:
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    asked.append(whole_request(connection))
                    connection.sendall(answer)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(1 << 16):
                        pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
    finally:
        listener.close()
        thread.join(5)


def reply(status: str, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def ask(url: str, flavour: str, **options):
    """One call with either client."""
    if flavour == "sync":
        with glovebox.Client(url, timeout=5, **options) as client:
            return client.run("1")

    async def main():
        async with glovebox.AsyncClient(url, timeout=5, **options) as client:
            return await client.run("1")

    return asyncio.run(main())


PROBLEM = json.dumps({"status": 429, "code": "quota_exceeded", "detail": "slow"}).encode()
HOSTILE = {
    "garbage": (b"SSH-2.0-OpenSSH\r\n\r\n", (glovebox.InvalidReply, glovebox.ConnectionFailed)),
    "nothing": (b"", glovebox.ConnectionFailed),
    "cut in the body": (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", glovebox.ConnectionFailed),
    "cut in a chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{", glovebox.ConnectionFailed),
    "bad chunk size": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{",
        (glovebox.InvalidReply, glovebox.ConnectionFailed),
    ),
    "not JSON": (reply("200 OK", b"<html>"), glovebox.InvalidReply),
    "JSON of another kind": (reply("200 OK", b"[1]"), glovebox.InvalidReply),
    "half a result": (reply("200 OK", b'{"run_id":"run_1","outcome":"ok"}'), glovebox.InvalidReply),
    "a proxy's page": (reply("502 Bad Gateway", b"<h1>"), glovebox.ApiError),
    "a redirect": (reply("302 Found", b"", "Location: http://127.0.0.1:1/"), glovebox.ApiError),
    "endless headers": (
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 5000,
        (glovebox.InvalidReply, glovebox.ConnectionFailed),
    ),
    "an endless line": (b"HTTP/1.1 200 " + b"x" * 200_000, (glovebox.InvalidReply, glovebox.ConnectionFailed)),
    "quota": (reply("429 Too Many Requests", PROBLEM, "Retry-After: 7"), glovebox.QuotaExceeded),
    "stopped": (reply("503 Service Unavailable", b"{}"), glovebox.Unavailable),
}


@pytest.mark.parametrize("flavour", ["sync", "async"])
class TestAnswers:
    @pytest.mark.parametrize("name", HOSTILE)
    def test_that_are_no_good_become_one_exception(self, flavour, name):
        answer, expected = HOSTILE[name]
        with answering(answer) as (url, _), pytest.raises(expected) as caught:
            ask(url, flavour, retries=0)
        if name == "quota":
            assert caught.value.retry_after == 7 and caught.value.code == "quota_exceeded"

    def test_that_ask_for_patience_are_tried_again_with_the_same_key(self, flavour):
        busy = reply("429 Too Many Requests", PROBLEM, "Retry-After: 0", "Connection: close")
        failed = reply("500 Failed", b"{}")
        with answering(busy, b"", failed) as (url, asked), pytest.raises(glovebox.ApiError) as caught:
            ask(url, flavour)
        assert caught.value.status == 500
        keys = {json.loads(request.partition(b"\r\n\r\n")[2])["idempotency_key"] for request in asked}
        assert len(asked) == 3 and len(keys) == 1

    def test_are_not_asked_for_twice_without_retries(self, flavour):
        busy = reply("429 Too Many Requests", PROBLEM, "Retry-After: 0")
        with answering(busy) as (url, asked), pytest.raises(glovebox.QuotaExceeded):
            ask(url, flavour, retries=0)
        assert len(asked) == 1 and b"idempotency_key" not in asked[0]

    def test_of_nobody_are_a_connection_that_failed(self, flavour):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(glovebox.ConnectionFailed):
            ask(url, flavour, retries=0)

    def test_carry_the_key_of_the_tenant(self, flavour):
        with answering(reply("500 x", b"{}")) as (url, asked), pytest.raises(glovebox.ApiError):
            ask(url, flavour, retries=0, api_key="gbk_secret")
        assert b"Authorization: Bearer gbk_secret\r\n" in asked[0]
