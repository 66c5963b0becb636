"""Bytes that no honest client sends: refused with the right status, in problem+json, and the connection is closed, so that
nothing can hide behind them."""

import json

import pytest

from support.raw_http import EchoServer

HOST = b"Host: localhost\r\n"
SMUGGLED = b"GET /disconnects HTTP/1.1\r\nHost: localhost\r\n\r\n"


def post(fields: bytes, body: bytes = b"") -> bytes:
    return b"POST /echo HTTP/1.1\r\n" + HOST + fields + b"\r\n" + body


def chunked(body: bytes) -> bytes:
    return post(b"Transfer-Encoding: chunked\r\n", body)


REFUSED = {
    "length_and_encoding": (400, post(b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n")),
    "encoding_and_length": (400, post(b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", b"0\r\n\r\n")),
    "two_lengths": (400, post(b"Content-Length: 4\r\nContent-Length: 5\r\n", b"aaaaa")),
    "two_equal_lengths": (400, post(b"Content-Length: 4\r\nContent-Length: 4\r\n", b"aaaa")),
    "list_of_lengths": (400, post(b"Content-Length: 4, 4\r\n", b"aaaa")),
    "negative_length": (400, post(b"Content-Length: -1\r\n")),
    "signed_length": (400, post(b"Content-Length: +4\r\n", b"aaaa")),
    "hex_length": (400, post(b"Content-Length: 0x4\r\n", b"aaaa")),
    "overflowing_length": (400, post(b"Content-Length: 18446744073709551617\r\n", b"a")),
    "empty_length": (400, post(b"Content-Length:\r\n")),
    "encoding_gzip": (501, post(b"Transfer-Encoding: gzip\r\n", b"x")),
    "encoding_list": (501, post(b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n")),
    "encoding_misspelt": (501, post(b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n")),
    "encoding_twice": (400, post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", b"0\r\n\r\n")),
    "encoding_in_1_0": (400, b"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    "folded_field": (400, b"GET /hello HTTP/1.1\r\n" + HOST + b"X: a\r\n b\r\n\r\n"),
    "folded_encoding": (400, post(b"Transfer-Encoding:\r\n chunked\r\n", b"0\r\n\r\n")),
    "space_before_colon": (400, post(b"Content-Length : 4\r\n", b"aaaa")),
    "space_before_first_field": (400, b"GET /hello HTTP/1.1\r\n " + HOST + b"\r\n"),
    "bare_lf": (400, b"GET /hello HTTP/1.1\nHost: localhost\n\n"),
    "bare_cr": (400, b"GET /hello HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n"),
    "nul": (400, b"GET /hello HTTP/1.1\r\n" + HOST + b"X: a\x00b\r\n\r\n"),
    "control_character": (400, b"GET /hello HTTP/1.1\r\n" + HOST + b"X: a\x0bb\r\n\r\n"),
    "no_colon": (400, b"GET /hello HTTP/1.1\r\n" + HOST + b"X\r\n\r\n"),
    "no_name": (400, b"GET /hello HTTP/1.1\r\n" + HOST + b": x\r\n\r\n"),
    "no_host": (400, b"GET /hello HTTP/1.1\r\n\r\n"),
    "two_hosts": (400, b"GET /hello HTTP/1.1\r\n" + HOST + HOST + b"\r\n"),
    "malformed_host": (400, b"GET /hello HTTP/1.1\r\nHost: a b\r\n\r\n"),
    "host_with_user": (400, b"GET /hello HTTP/1.1\r\nHost: localhost@evil\r\n\r\n"),
    "chunk_size_not_hex": (400, chunked(b"zz\r\nabc\r\n0\r\n\r\n")),
    "chunk_size_negative": (400, chunked(b"-1\r\nabc\r\n0\r\n\r\n")),
    "chunk_size_prefixed": (400, chunked(b"0x3\r\nabc\r\n0\r\n\r\n")),
    "chunk_size_overflow": (400, chunked(b"10000000000000003\r\nabc\r\n0\r\n\r\n")),
    "chunk_line_bare_lf": (400, chunked(b"3\nabc\r\n0\r\n\r\n")),
    "chunk_too_long_for_size": (400, chunked(b"3\r\nabcd\r\n0\r\n\r\n")),
    "chunk_extension_too_long": (400, chunked(b"3;" + b"a" * 10_000 + b"\r\nabc\r\n0\r\n\r\n")),
    "chunk_extension_malformed": (400, chunked(b"3;\x01\r\nabc\r\n0\r\n\r\n")),
    "trailer_too_long": (400, chunked(b"0\r\nX: " + b"a" * 10_000 + b"\r\n\r\n")),
    "trailer_with_length": (400, chunked(b"0\r\nContent-Length: 5\r\n\r\n")),
    "unknown_method": (501, b"BREW /hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "lower_case_method": (501, b"get /hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "connect": (501, b"CONNECT localhost:80 HTTP/1.1\r\n" + HOST + b"\r\n"),
    "trace": (501, b"TRACE /hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "http_2_preface": (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "http_0_9": (400, b"GET /hello\r\n\r\n"),
    "http_1_2": (505, b"GET /hello HTTP/1.2\r\n" + HOST + b"\r\n"),
    "http_3_0": (505, b"GET /hello HTTP/3.0\r\n" + HOST + b"\r\n"),
    "lower_case_version": (400, b"GET /hello http/1.1\r\n" + HOST + b"\r\n"),
    "two_spaces": (400, b"GET  /hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "tab_in_request_line": (400, b"GET\t/hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "tls_hello": (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    "many_empty_lines": (400, b"\r\n\r\n\r\nGET /hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "long_target": (414, b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n" + HOST + b"\r\n"),
    "endless_target": (414, b"GET /" + b"a" * 12_000),
    "large_field": (431, b"GET /hello HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 20_000 + b"\r\n\r\n"),
    "many_fields": (431, b"GET /hello HTTP/1.1\r\n" + HOST + b"X: a\r\n" * 100 + b"\r\n"),
    "endless_fields": (431, b"GET /hello HTTP/1.1\r\n" + b"X: a\r\n" * 4000),
    "unknown_expectation": (417, post(b"Expect: dinner\r\nContent-Length: 1\r\n", b"a")),
    "foreign_name": (421, b"GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
    "foreign_name_in_target": (421, b"GET http://evil.example/hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "dot_segments": (400, b"GET /a/../hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "encoded_dot_segments": (400, b"GET /a/%2e%2E/hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "single_dot": (400, b"GET /./hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "empty_segment": (400, b"GET //hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "encoded_nul": (400, b"GET /hello%00 HTTP/1.1\r\n" + HOST + b"\r\n"),
    "encoded_newline": (400, b"GET /hello%0d%0aX:y HTTP/1.1\r\n" + HOST + b"\r\n"),
    "broken_escape": (400, b"GET /hello%2 HTTP/1.1\r\n" + HOST + b"\r\n"),
    "overlong_utf8": (400, b"GET /%c0%af HTTP/1.1\r\n" + HOST + b"\r\n"),
    "raw_utf8": (400, "GET /ü HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()),
    "fragment": (400, b"GET /hello#a HTTP/1.1\r\n" + HOST + b"\r\n"),
    "target_without_slash": (400, b"GET hello HTTP/1.1\r\n" + HOST + b"\r\n"),
    "body_too_large": (413, post(b"Content-Length: 65537\r\n")),
    "chunks_too_large": (413, chunked(b"10001\r\n" + b"a" * 0x10001 + b"\r\n0\r\n\r\n")),
}


@pytest.fixture(scope="module")
def server():
    with EchoServer() as running:
        yield running


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_and_the_connection_closed(server, name):
    status, data = REFUSED[name]
    with server.connect() as connection:
        connection.send(data + SMUGGLED)
        answer = connection.answer()
        assert answer.status == status, answer
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["connection"] == "close"
        problem = json.loads(answer.body)
        assert set(problem) == {"type", "title", "status", "detail", "code"}
        assert problem["status"] == status and problem["title"] == answer.reason
        assert connection.is_closed_by_server(), "what was smuggled has been answered"


@pytest.mark.parametrize("name", ["bare_lf", "length_and_encoding", "chunk_size_not_hex", "dot_segments", "nul"])
def test_it_is_refused_byte_by_byte_as_well(server, name):
    status, data = REFUSED[name]
    with server.connect() as connection:
        try:
            for byte in data:
                connection.send(bytes([byte]))
        except OSError:
            pass  # refused before its end
        assert connection.answer().status == status


def test_a_malformed_request_behind_a_good_one_ends_the_connection(server):
    with server.connect() as connection:
        connection.send(b"GET /hello HTTP/1.1\r\n" + HOST + b"\r\n" + REFUSED["two_lengths"][1] + SMUGGLED)
        assert connection.answer().status == 200
        assert connection.answer().status == 400
        assert connection.is_closed_by_server()


def test_the_server_is_well_after_all_of_it(server):
    for _, data in REFUSED.values():
        with server.connect() as connection:
            connection.send(data)  # and gone, without reading
    assert server.get("/hello") == b"hello\n"
