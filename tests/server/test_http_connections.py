"""Clients that are slow, gone, or too many; and a server that has to stop."""

import socket
import struct
import time

import pytest

from support.raw_http import EchoServer

HOST = b"Host: localhost\r\n"
HELLO = b"GET /hello HTTP/1.1\r\n" + HOST + b"\r\n"


@pytest.fixture(scope="module")
def hasty():
    """Half a second for everything that takes ten or more in earnest."""
    limits = ["--head-timeout-ms", "500", "--idle-timeout-ms", "500", "--body-grace-ms", "500"]
    with EchoServer(*limits, "--write-timeout-ms", "500", "--comment-ms", "200", "--stream-buffer", "65536") as server:
        yield server


def drip(connection, data: bytes, pause_s: float) -> None:
    """Byte by byte until all is sent or the server has had enough."""
    try:
        for byte in data:
            connection.send(bytes([byte]))
            time.sleep(pause_s)
    except OSError:
        pass


def test_a_head_that_drips_in_is_cut_off(hasty):
    with hasty.connect() as connection:
        started = time.monotonic()
        drip(connection, b"GET /hello HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100, 0.05)
        assert connection.answer().status == 408
        assert connection.is_closed_by_server()
    assert 0.5 <= time.monotonic() - started


def test_a_second_head_that_drips_in_is_cut_off_too(hasty):
    with hasty.connect() as connection:
        connection.send(HELLO)
        assert connection.answer().status == 200
        connection.send(b"GET /hello")
        assert connection.answer().status == 408


def test_a_body_that_drips_in_is_cut_off(hasty):
    with hasty.connect() as connection:
        connection.send(b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 1000\r\n\r\n")
        started = time.monotonic()
        drip(connection, b"a" * 40, 0.05)
        assert connection.answer().status == 408
        assert connection.is_closed_by_server()
        assert time.monotonic() - started < 5


def test_a_body_that_keeps_the_rate_may_take_its_time(hasty):
    with hasty.connect() as connection:
        connection.send(b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 40000\r\n\r\n")
        for _ in range(20):
            connection.send(b"a" * 2000)
            time.sleep(0.05)
        assert connection.answer().status == 200


def test_silence_is_closed_silently(hasty):
    with hasty.connect() as connection:
        assert connection.is_closed_by_server()
    with hasty.connect() as connection:
        connection.send(HELLO)
        connection.answer()
        assert connection.is_closed_by_server()


def test_a_quiet_event_stream_is_kept_alive_by_comments(hasty):
    with hasty.connect() as connection:
        connection.send(b"GET /stream?count=2&ms=700 HTTP/1.1\r\n" + HOST + b"\r\n")
        connection.head()
        assert connection.chunk().startswith(b"id: 0\n")
        assert connection.chunk() == b": keep-alive\n\n"
        assert connection.chunk() == b": keep-alive\n\n"


def test_a_client_that_does_not_read_its_stream_is_cut_off(hasty):
    before = int(hasty.get("/disconnects"))
    with hasty.connect() as connection:
        connection.send(b"GET /stream?count=100000&ms=0&bytes=60000 HTTP/1.1\r\n" + HOST + b"\r\n")
        assert hasty.eventually("/disconnects", b"%d" % (before + 1))
        assert hasty.resident_bytes() < 64 << 20


def test_a_client_that_does_not_read_its_answer_is_cut_off(hasty):
    with hasty.connect() as connection:
        connection.send(b"GET /large?bytes=100000000 HTTP/1.1\r\n" + HOST + b"\r\n")
        assert connection.head().headers["content-length"] == "100000000"
        time.sleep(1.5)
        assert len(connection.rest()) < 50_000_000


@pytest.fixture(scope="module")
def server():
    with EchoServer() as running:
        yield running


@pytest.mark.parametrize("target", ["/later?ms=1000", "/stream?count=1000&ms=5"])
@pytest.mark.parametrize("leave", ["close", "reset"])
def test_whoever_is_answering_learns_that_the_client_left(server, target, leave):
    before = int(server.get("/disconnects"))
    connection = server.connect()
    connection.send(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    if target.startswith("/stream"):
        connection.head()
    else:
        time.sleep(0.05)
    if leave == "reset":
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
    assert server.eventually("/disconnects", b"%d" % (before + 1))


def test_a_client_that_only_stops_sending_gets_its_answer(server):
    with server.connect() as connection:
        connection.send(b"GET /later?ms=100 HTTP/1.1\r\n" + HOST + b"\r\n")
        connection.half_close()
        assert connection.answer().body == b"late\n"
        assert connection.is_closed_by_server()
    with server.connect() as connection:
        connection.send(HELLO * 3)
        connection.half_close()
        assert connection.rest().count(b"hello\n") == 3


def test_a_message_cut_short_is_dropped(server):
    for data in (b"GET /hello HT", b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\nab"):
        with server.connect() as connection:
            connection.send(data)
            connection.half_close()
            assert connection.rest() == b""


def test_connections_over_the_limit_are_turned_away():
    with EchoServer("--connections", "10") as server:
        held = [server.connect() for _ in range(10)]
        for connection in held:
            connection.send(HELLO)
            assert connection.answer().status == 200
        with server.connect() as connection:
            connection.send(HELLO)
            answer = connection.answer()
            assert answer.status == 503 and int(answer.headers["retry-after"]) >= 1
            assert connection.is_closed_by_server()
        assert all(connection.is_still_usable() for connection in held)
        for connection in held:
            connection.close()
        assert server.eventually("/hello", b"hello\n")


def test_five_hundred_connections_are_served_and_given_back(server):
    server.get("/hello")
    time.sleep(0.1)
    before = server.descriptors()
    held = [server.connect() for _ in range(500)]
    for _ in range(3):
        for connection in held:
            connection.send(HELLO)
        assert all(connection.answer().status == 200 for connection in held)
    for connection in held:
        connection.close()
    deadline = time.monotonic() + 5
    while server.descriptors() > before and time.monotonic() < deadline:
        time.sleep(0.02)
    assert server.descriptors() <= before


def test_draining_finishes_what_was_begun_and_begins_nothing():
    with EchoServer() as server:
        idle = server.connect()
        idle.send(HELLO)
        idle.answer()
        busy = server.connect()
        busy.send(b"GET /later?ms=500 HTTP/1.1\r\n" + HOST + b"\r\n")
        streaming = server.connect()
        streaming.send(b"GET /stream?count=5&ms=100 HTTP/1.1\r\n" + HOST + b"\r\n")
        streaming.head()
        time.sleep(0.1)
        server.terminate()
        assert idle.is_closed_by_server()
        with pytest.raises(ConnectionRefusedError):
            server.connect()
        answer = busy.answer()
        assert answer.body == b"late\n" and answer.headers["connection"] == "close"
        assert busy.is_closed_by_server()
        assert streaming.rest().endswith(b"0\r\n\r\n")
        for connection in (idle, busy, streaming):
            connection.close()
        assert server.status() == 0


def test_draining_has_an_end():
    with EchoServer("--drain-ms", "300") as server:
        with server.connect() as connection:
            connection.send(b"GET /later?ms=60000 HTTP/1.1\r\n" + HOST + b"\r\n")
            time.sleep(0.1)
            server.terminate()
            assert server.status() == 3
