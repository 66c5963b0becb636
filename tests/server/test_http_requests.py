"""What good clients do: keep-alive, pipelines, chunks, streams, uploads, every version and socket."""

import os
import stat
import threading
import time

import pytest

from support.raw_http import EchoServer, get, request

HOST = b"Host: localhost\r\n"
HELLO = b"GET /hello HTTP/1.1\r\n" + HOST + b"\r\n"


@pytest.fixture(scope="module")
def server():
    with EchoServer() as running:
        yield running


def checksum(data: bytes) -> bytes:
    """What CountingSink of http_echo reports."""
    total = 0
    count = 0
    for byte in data:
        count += 1
        total += byte * (count % 251)
    return f"{count} {total}".encode()


def test_a_connection_serves_many_requests(server):
    with server.connect() as connection:
        for _ in range(50):
            connection.send(HELLO)
            answer = connection.answer()
            assert answer.status == 200 and answer.body == b"hello\n" and "connection" not in answer.headers


def test_requests_that_come_ahead_are_answered_in_order(server):
    bodies = [b"%d" % index for index in range(300)]
    with server.connect() as connection:
        connection.send(
            b"".join(b"POST /echo HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s" % (HOST, len(b), b) for b in bodies)
        )
        assert [connection.answer().body for _ in bodies] == bodies


def test_requests_behind_a_slow_one_wait_for_it(server):
    with server.connect() as connection:
        connection.send(b"GET /later?ms=100 HTTP/1.1\r\n" + HOST + b"\r\n" + HELLO * 500)
        assert connection.answer().body == b"late\n"
        assert all(connection.answer().body == b"hello\n" for _ in range(500))


def test_the_connection_lives_on_after_errors_that_leave_no_doubt(server):
    with server.connect() as connection:
        connection.send(b"GET /nothing HTTP/1.1\r\n" + HOST + b"\r\n")
        assert connection.answer().status == 404
        assert connection.is_still_usable()
        connection.send(b"GET /drop HTTP/1.1\r\n" + HOST + b"\r\n")
        assert connection.answer().status == 500
        connection.send(b"GET /throw HTTP/1.1\r\n" + HOST + b"\r\n")
        assert connection.answer().status == 500
        connection.send(b"GET /inject HTTP/1.1\r\n" + HOST + b"\r\n")
        answer = connection.answer()
        assert answer.status == 500 and "set-cookie" not in answer.headers
        assert connection.is_still_usable()


def test_head_is_get_without_a_body(server):
    with server.connect() as connection:
        connection.send(b"HEAD /hello HTTP/1.1\r\n" + HOST + b"\r\n")
        answer = connection.answer("HEAD")
        assert answer.status == 200 and answer.headers["content-length"] == "6"
        connection.send(b"HEAD /stream HTTP/1.1\r\n" + HOST + b"\r\n")
        assert connection.answer("HEAD").status == 200
        assert connection.is_still_usable()


def test_no_content_means_none(server):
    with server.connect() as connection:
        connection.send(b"GET /empty HTTP/1.1\r\n" + HOST + b"\r\n")
        answer = connection.answer()
        assert answer.status == 204 and "content-length" not in answer.headers
        assert connection.is_still_usable()


def test_http_1_0_closes_unless_asked_to_stay(server):
    with server.connect() as connection:
        connection.send(b"GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        assert connection.answer().headers["connection"] == "keep-alive"
        connection.send(b"GET /hello HTTP/1.0\r\n\r\n")
        assert connection.answer().headers["connection"] == "close"
        assert connection.is_closed_by_server()


def test_a_stream_for_http_1_0_ends_with_the_connection(server):
    answer = server.request(b"GET /stream?count=2&ms=1 HTTP/1.0\r\n\r\n")
    assert "transfer-encoding" not in answer.headers and answer.body.count(b"event: tick") == 2


def test_connection_close_is_honoured(server):
    with server.connect() as connection:
        connection.send(b"GET /hello HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n" + HELLO)
        assert connection.answer().headers["connection"] == "close"
        assert connection.is_closed_by_server()


def test_one_empty_line_before_a_request_is_forgiven(server):
    with server.connect() as connection:
        connection.send(b"\r\n" + HELLO + b"\r\n" + HELLO)
        assert [connection.answer().status for _ in range(2)] == [200, 200]


def test_paths_and_queries_arrive_decoded(server):
    body = server.get("/describe/a%2Fb/%C3%BC?x=1+2&y=%26&x=")
    assert "segment a/b\nsegment ü\nquery x = 1 2\nquery y = &\nquery x = \n" in body.decode()
    assert b"peer 127.0.0.1 loopback" in body


def test_the_absolute_form_is_understood(server):
    answer = server.request(b"GET http://localhost:1/describe/a?b=c HTTP/1.1\r\n" + HOST + b"\r\n")
    assert b"segment a\nquery b = c\n" in answer.body


def test_chunks_of_every_size_are_one_body(server):
    with server.connect() as connection:
        connection.send(b"POST /echo HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: Chunked\r\n\r\n")
        expected = b""
        for size in (1, 2, 15, 16, 255, 4096, 20_000):
            data = os.urandom(size)
            expected += data
            connection.send(b"%x;name=value\r\n%s\r\n" % (size, data))
        connection.send(b"0\r\nX-Trailer: dropped\r\n\r\n")
        assert connection.answer().body == expected
        assert connection.is_still_usable()


def test_continue_is_said_before_the_body_is_sent(server):
    head = b"POST /echo HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n"
    with server.connect() as connection:
        connection.send(head)
        assert connection.head().status == 100
        connection.send(b"hello")
        assert connection.answer().body == b"hello"
        connection.send(head + b"early")  # did not wait: no need to say it
        answer = connection.answer()
        assert answer.body == b"early" and answer.interim == []


def test_what_will_not_be_read_is_refused_before_it_is_sent(server):
    for target, length, status in ((b"/echo", 65_537, 413), (b"/forbidden", 5, 401)):
        with server.connect() as connection:
            connection.send(
                b"POST %s HTTP/1.1\r\n%sExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % (target, HOST, length)
            )
            answer = connection.answer()
            assert answer.status == status and answer.interim == []
            assert connection.is_closed_by_server()


def test_a_client_that_sends_everything_first_still_reads_the_refusal(server):
    body = b"x" * 4_000_000
    with server.connect() as connection:
        connection.send(b"POST /echo HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n" % (HOST, len(body)) + body)
        assert connection.answer().status == 413


def test_an_upload_goes_through_the_sink(server):
    data = os.urandom(100_000)
    head = b"PUT /upload HTTP/1.1\r\n" + HOST
    assert server.request(head + b"Content-Length: 100000\r\n\r\n" + data).body == checksum(data)
    chunks = b"".join(b"%x\r\n%s\r\n" % (1000, data[at : at + 1000]) for at in range(0, len(data), 1000))
    assert server.request(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n").body == checksum(data)


def test_a_sink_that_fails_ends_the_request(server):
    with server.connect() as connection:
        connection.send(b"PUT /upload HTTP/1.1\r\n" + HOST + b"Content-Length: 100000\r\n\r\npoison")
        answer = connection.answer()
        assert answer.status == 400 and b"does not like" in answer.body
        assert connection.is_closed_by_server()


def test_an_abandoned_upload_is_given_up(server):
    before = int(server.get("/abandoned"))
    with server.connect() as connection:
        connection.send(b"PUT /upload HTTP/1.1\r\n" + HOST + b"Content-Length: 100000\r\n\r\nabc")
    assert server.eventually("/abandoned", b"%d" % (before + 1))


def test_a_large_upload_leaves_memory_flat(server):
    size = 200 << 20
    piece = bytes(1 << 20)
    server.get("/hello")
    before = server.resident_bytes()
    highest = before
    with server.connect() as connection:
        connection.send(b"PUT /upload HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n" % (HOST, size))
        for sent in range(0, size, len(piece)):
            connection.send(piece)
            if sent % (20 << 20) == 0:
                highest = max(highest, server.resident_bytes())
        assert connection.answer().body == b"%d 0" % size
    assert highest - before < 8 << 20, f"grew by {(highest - before) >> 20} MiB"


@pytest.mark.parametrize("size", [0, 1, 70_000, 5_000_000])
def test_files_and_large_bodies_arrive_whole(server, size):
    assert server.get(f"/file?bytes={size}") == b"f" * size
    assert server.get(f"/large?bytes={size}") == b"l" * size


def test_a_file_that_is_shorter_than_promised_cuts_the_connection(server):
    with server.connect() as connection:
        connection.send(b"GET /file?bytes=1000&short HTTP/1.1\r\n" + HOST + b"\r\n")
        assert connection.head().headers["content-length"] == "1001"
        assert len(connection.rest()) == 1000


def test_events_arrive_one_by_one(server):
    with server.connect() as connection:
        connection.send(b"GET /stream?count=3&ms=100 HTTP/1.1\r\n" + HOST + b"\r\n")
        started = time.monotonic()
        assert connection.head().headers["content-type"] == "text/event-stream"
        assert connection.chunk() == b"id: 0\nevent: tick\ndata: xxxxxxxxxx\n\n"
        assert time.monotonic() - started < 0.09, "the first event waited for the others"
        assert connection.chunk().startswith(b"id: 1\n")
        assert connection.chunk().startswith(b"id: 2\n")
        assert connection.chunk() == b""
        assert connection.is_still_usable()


def test_sockets_of_every_kind(tmp_path):
    path = tmp_path / "s.sock"
    flags = ["--listen", "127.0.0.1:0", "--listen", "[::1]:0", "--listen", f"unix:{path}", "--unix-mode", "660"]
    with EchoServer(*flags) as server:
        four, six, unix = server.addresses
        assert get(four, "/hello") == b"hello\n"
        assert b"peer ::1 loopback" in get(six, "/describe")
        assert f"uid {os.getuid()}".encode() in get(unix, "/describe")
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        # Any name will do on a unix socket: no browser gets there.
        assert request(unix, b"GET /hello HTTP/1.1\r\nHost: what ever\r\n\r\n").status == 200
        server.terminate()
        assert server.status() == 0
    assert not path.exists()


def test_configured_names_are_allowed():
    with EchoServer("--allow-host", "box.example") as server:
        assert server.request(b"GET /hello HTTP/1.1\r\nHost: box.example:443\r\n\r\n").status == 200
        assert server.request(HELLO).status == 200
        assert server.request(b"GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n").status == 421


def test_many_clients_at_once(server):
    failures = []

    def client(index: int) -> None:
        body = b"%d" % index * 50
        try:
            with server.connect() as connection:
                for _ in range(50):
                    connection.send(b"POST /echo HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s" % (HOST, len(body), body))
                    assert connection.answer().body == body
        except Exception as error:  # noqa: BLE001 (reported below)
            failures.append(error)

    threads = [threading.Thread(target=client, args=(index,)) for index in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
