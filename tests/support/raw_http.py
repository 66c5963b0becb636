"""HTTP by hand: requests as bytes over a socket, so that a test can say what no client library would.

`EchoServer` runs http_echo (src/server/http/testing), a server without any runs behind it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from support import glovebox_runner
from support.glovebox_runner import slowness

PATIENCE_S = 10.0


@dataclass
class Answer:
    status: int
    reason: str
    headers: dict[str, str]  # names in lower case
    body: bytes
    interim: list[int] = field(default_factory=list)  # statuses of 1xx answers before it


class Connection:
    """One connection, read strictly: whatever a correct server must not send is an AssertionError."""

    def __init__(self, address: str, timeout_s: float = PATIENCE_S):
        if address.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX)
            target = address.removeprefix("unix:")
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.socket(socket.AF_INET6 if host.startswith("[") else socket.AF_INET)
            target = (host.strip("[]"), int(port))
        self.socket.settimeout(timeout_s * slowness())
        self.socket.connect(target)
        self.buffered = b""

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def half_close(self) -> None:
        self.socket.shutdown(socket.SHUT_WR)

    def _more(self) -> None:
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError(f"closed after {self.buffered!r}")
        self.buffered += data

    def _until(self, mark: bytes) -> bytes:
        while mark not in self.buffered:
            self._more()
        taken, self.buffered = self.buffered.split(mark, 1)
        return taken

    def exactly(self, count: int) -> bytes:
        while len(self.buffered) < count:
            self._more()
        taken, self.buffered = self.buffered[:count], self.buffered[count:]
        return taken

    def head(self) -> Answer:
        lines = self._until(b"\r\n\r\n").decode("ascii").split("\r\n")
        version, status, reason = lines[0].split(" ", 2)
        assert version == "HTTP/1.1"
        headers: dict[str, str] = {}
        for line in lines[1:]:
            name, value = line.split(": ", 1)
            assert name.lower() not in headers, f"twice: {name}"
            headers[name.lower()] = value
        if int(status) >= 200:
            assert headers["server"] == "glovebox" and headers["date"].endswith(" GMT")
        return Answer(int(status), reason, headers, b"")

    def chunk(self) -> bytes:
        """One chunk of a chunked body; b"" at its end."""
        size = int(self._until(b"\r\n"), 16)
        data = self.exactly(size)
        assert self.exactly(2) == b"\r\n"
        return data

    def answer(self, method: str = "GET") -> Answer:
        interim = []
        answer = self.head()
        while answer.status < 200:
            interim.append(answer.status)
            answer = self.head()
        answer.interim = interim
        if method == "HEAD" or answer.status in (204, 304):
            return answer
        if answer.headers.get("transfer-encoding") == "chunked":
            while data := self.chunk():
                answer.body += data
        elif "content-length" in answer.headers:
            answer.body = self.exactly(int(answer.headers["content-length"]))
        else:
            answer.body = self.rest()
        return answer

    def rest(self) -> bytes:
        """Everything until the server closes."""
        try:
            while True:
                self._more()
        except (EOFError, ConnectionResetError):
            pass
        taken, self.buffered = self.buffered, b""
        return taken

    def is_closed_by_server(self) -> bool:
        """Waits for the end of the stream; False if there is more to read or nothing happens."""
        if self.buffered:
            return False
        try:
            return self.socket.recv(1) == b""
        except (TimeoutError, socket.timeout):
            return False

    def is_still_usable(self) -> bool:
        self.send(b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return self.answer().body == b"hello\n"


def request(address: str, data: bytes, method: str = "GET") -> Answer:
    with Connection(address) as connection:
        connection.send(data)
        return connection.answer(method)


def get(address: str, target: str) -> bytes:
    return request(address, f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()).body


class EchoServer:
    def __init__(self, *flags: str):
        binary = glovebox_runner.binary_path().parent.parent / "tests" / "http_echo"
        assert binary.is_file(), f"{binary} does not exist: build it first"
        listen = [] if "--listen" in flags else ["--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen([str(binary), *listen, *flags], stdout=subprocess.PIPE, text=True)
        count = max(1, flags.count("--listen"))
        self.addresses = [self.process.stdout.readline().strip() for _ in range(count)]
        self.address = self.addresses[0]
        assert self.address, "http_echo did not start"

    def __enter__(self) -> EchoServer:
        return self

    def __exit__(self, *_) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def connect(self, **options) -> Connection:
        return Connection(self.address, **options)

    def request(self, data: bytes, method: str = "GET") -> Answer:
        return request(self.address, data, method)

    def get(self, target: str) -> bytes:
        return get(self.address, target)

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def status(self) -> int:
        return self.process.wait(timeout=PATIENCE_S * slowness())

    def resident_bytes(self) -> int:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def eventually(self, target: str, expected: bytes) -> bool:
        """Asks until the answer is the expected one."""
        deadline = time.monotonic() + PATIENCE_S * slowness()
        with closing(self.connect()) as connection:
            while True:
                connection.send(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                if connection.answer().body == expected:
                    return True
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.01)
