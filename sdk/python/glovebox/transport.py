"""HTTP/1.1 over http.client: a pool of connections that threads share."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from pathlib import Path
from typing import Dict, Iterator, List, Mapping, Optional

from .calls import Call
from .errors import ConnectionFailed, InvalidReply
from .server_url import ServerUrl

IDLE_CONNECTIONS = 16
CHUNK = 1 << 16


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Response:
    """An answer whose body has not been read yet. Closed without being read to its end, it drops its connection."""

    def __init__(self, transport: Transport, connection: http.client.HTTPConnection, method: str) -> None:
        response = connection.getresponse()
        self._transport = transport
        self._connection: Optional[http.client.HTTPConnection] = connection
        self._response = response
        self._method = method
        self.status = response.status
        self.headers: Dict[str, str] = {name.lower(): value for name, value in response.getheaders()}

    def chunks(self) -> Iterator[bytes]:
        """Bytes as they arrive."""
        try:
            while chunk := self._response.read1(CHUNK):
                yield chunk
            # A promised length that did not come is an error of the connection, which read1 does not report.
            if self._response.length and self._method != "HEAD":
                raise ConnectionFailed("the server hung up in the middle of an answer")
            self._response.read()  # nothing is left; this frees the connection for the next call
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionFailed(f"the connection broke: {error}") from error
        finally:
            self.close()

    def read(self, limit: int) -> bytes:
        parts: List[bytes] = []
        size = 0
        for chunk in self.chunks():
            size += len(chunk)
            if size > limit:
                raise InvalidReply(f"the answer is larger than {limit} bytes")
            parts.append(chunk)
        return b"".join(parts)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._response.isclosed():
            self._transport._give_back(connection)
        else:
            self._response.close()
            connection.close()


class Transport:
    def __init__(self, url: ServerUrl, timeout: float, tls: Optional[ssl.SSLContext]) -> None:
        self._url = url
        self._timeout = timeout
        self._tls = (tls or ssl.create_default_context()) if url.tls else None
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._closed = False

    def send(self, call: Call, headers: Mapping[str, str]) -> Response:
        timeout = max(self._timeout, call.least_timeout)
        connection = self._take_idle()
        if connection is not None:
            try:
                return self._send_on(connection, call, headers, timeout)
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                # The server may close an idle connection at any time. Whether it saw this request is unknown, so only a
                # repeatable one goes out again.
                if not call.repeatable or isinstance(error, TimeoutError):
                    raise ConnectionFailed(f"the connection broke: {error!r}") from error
        connection = self._connect(timeout)
        try:
            return self._send_on(connection, call, headers, timeout)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ConnectionFailed(f"no answer from the server: {error!r}") from error

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        url = self._url
        if url.socket_path is not None:
            return _UnixConnection(url.socket_path, timeout)
        if self._tls is not None:
            return http.client.HTTPSConnection(url.host, url.port, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(url.host, url.port, timeout=timeout)

    def _send_on(
        self, connection: http.client.HTTPConnection, call: Call, headers: Mapping[str, str], timeout: float
    ) -> Response:
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        else:
            connection.connect()
            if self._url.socket_path is None and connection.sock is not None:
                connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        all_headers = {**headers, **call.headers, "Host": self._url.host_header}
        if call.body is not None or call.method in ("POST", "PUT"):
            all_headers["Content-Length"] = str(call.body_bytes)
        target = self._url.prefix + call.target
        try:
            if isinstance(call.body, Path):
                with open(call.body, "rb") as file:
                    connection.request(call.method, target, body=file, headers=all_headers)
            else:
                connection.request(call.method, target, body=call.body, headers=all_headers)
        except (BrokenPipeError, ConnectionResetError):
            # A server that refuses a large body answers before it has read all of it; the answer says why.
            pass
        return Response(self, connection, call.method)

    def _take_idle(self) -> Optional[http.client.HTTPConnection]:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if connection.sock is not None and not self._closed and len(self._idle) < IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
