"""HTTP/1.1 over asyncio streams: as much of it as a Glovebox server speaks, with bounded heads."""

from __future__ import annotations

import asyncio
import re
import ssl
from pathlib import Path
from typing import AsyncIterator, Dict, List, Mapping, Optional, Tuple

from .calls import Call
from .errors import ConnectionFailed, InvalidReply
from .server_url import ServerUrl

IDLE_CONNECTIONS = 16
CHUNK = 1 << 16
MAX_LINE = 1 << 16
MAX_HEADERS = 200

BROKEN = (OSError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError)
Connection = Tuple[asyncio.StreamReader, asyncio.StreamWriter]


class AsyncResponse:
    """An answer whose body has not been read yet. Closed without being read to its end, it drops its connection."""

    def __init__(self, transport: AsyncTransport, connection: Connection, timeout: float, method: str) -> None:
        self._transport = transport
        self._reader = connection[0]
        self._connection: Optional[Connection] = connection
        self._timeout = timeout
        self._method = method
        self.status = 0
        self.headers: Dict[str, str] = {}

    async def read_head(self) -> None:
        while True:
            line = (await self._line()).decode("latin-1")
            match = re.fullmatch(r"HTTP/1\.[01] ([1-5][0-9]{2})(?: .*)?", line)
            if not match:
                raise InvalidReply("the answer is not HTTP")
            self.status = int(match.group(1))
            self.headers = await self._read_headers()
            # 100 Continue and its like come before the answer proper.
            if self.status >= 200:
                return

    async def _read_headers(self) -> Dict[str, str]:
        headers: Dict[str, str] = {}
        for _ in range(MAX_HEADERS):
            line = (await self._line()).decode("latin-1")
            if not line:
                return headers
            name, colon, value = line.partition(":")
            if not colon:
                raise InvalidReply("a header has no colon")
            headers[name.strip().lower()] = value.strip()
        raise InvalidReply("the answer has too many headers")

    async def _line(self) -> bytes:
        line = await asyncio.wait_for(self._reader.readuntil(b"\n"), self._timeout)
        return line.rstrip(b"\r\n")

    async def chunks(self) -> AsyncIterator[bytes]:
        """Bytes as they arrive."""
        reusable = False
        try:
            if self._method == "HEAD" or self.status in (204, 304):
                reusable = True
            elif "transfer-encoding" in self.headers:
                async for chunk in self._chunked():
                    yield chunk
                reusable = True
            elif "content-length" in self.headers:
                if not re.fullmatch(r"[0-9]{1,18}", self.headers["content-length"]):
                    raise InvalidReply("the answer has no valid length")
                async for chunk in self._counted(int(self.headers["content-length"])):
                    yield chunk
                reusable = True
            else:
                while chunk := await asyncio.wait_for(self._reader.read(CHUNK), self._timeout):
                    yield chunk
        except BROKEN as error:
            raise ConnectionFailed(f"the connection broke: {error!r}") from error
        finally:
            self._finish(reusable and self.headers.get("connection", "").lower() != "close")

    async def _counted(self, length: int) -> AsyncIterator[bytes]:
        while length:
            chunk = await asyncio.wait_for(self._reader.read(min(CHUNK, length)), self._timeout)
            if not chunk:
                raise EOFError("the server hung up in the middle of an answer")
            length -= len(chunk)
            yield chunk

    async def _chunked(self) -> AsyncIterator[bytes]:
        if self.headers["transfer-encoding"].lower() != "chunked":
            raise InvalidReply("the answer has an unknown transfer encoding")
        while True:
            size = (await self._line()).partition(b";")[0].strip()
            if not re.fullmatch(rb"[0-9A-Fa-f]{1,15}", size):
                raise InvalidReply("a chunk has no valid size")
            length = int(size, 16)
            if length == 0:
                await self._read_headers()
                return
            async for chunk in self._counted(length):
                yield chunk
            if await self._line():
                raise InvalidReply("a chunk is longer than it says")

    async def read(self, limit: int) -> bytes:
        parts: List[bytes] = []
        size = 0
        async for chunk in self.chunks():
            size += len(chunk)
            if size > limit:
                self._finish(False)
                raise InvalidReply(f"the answer is larger than {limit} bytes")
            parts.append(chunk)
        return b"".join(parts)

    def close(self) -> None:
        self._finish(False)

    def _finish(self, reusable: bool) -> None:
        if self._connection is not None:
            self._transport._give_back(self._connection, reusable)
            self._connection = None


class AsyncTransport:
    """Belongs to one event loop."""

    def __init__(self, url: ServerUrl, timeout: float, tls: Optional[ssl.SSLContext]) -> None:
        self._url = url
        self._timeout = timeout
        self._tls = (tls or ssl.create_default_context()) if url.tls else None
        self._idle: List[Connection] = []
        self._closed = False

    async def send(self, call: Call, headers: Mapping[str, str]) -> AsyncResponse:
        timeout = max(self._timeout, call.least_timeout)
        if self._idle:
            connection = self._idle.pop()
            try:
                return await self._send_on(connection, call, headers, timeout)
            except BROKEN as error:
                # The server may close an idle connection at any time. Whether it saw this request is unknown, so only a
                # repeatable one goes out again.
                if not call.repeatable or isinstance(error, asyncio.TimeoutError):
                    raise ConnectionFailed(f"the connection broke: {error!r}") from error
        try:
            return await self._send_on(await self._connect(timeout), call, headers, timeout)
        except BROKEN as error:
            raise ConnectionFailed(f"no answer from the server: {error!r}") from error

    async def _connect(self, timeout: float) -> Connection:
        url = self._url
        if url.socket_path is not None:
            opening = asyncio.open_unix_connection(url.socket_path, limit=MAX_LINE)
        else:
            opening = asyncio.open_connection(url.host, url.port, ssl=self._tls, limit=MAX_LINE)
        return await asyncio.wait_for(opening, timeout)

    async def _send_on(
        self, connection: Connection, call: Call, headers: Mapping[str, str], timeout: float
    ) -> AsyncResponse:
        _, writer = connection
        response = AsyncResponse(self, connection, timeout, call.method)
        all_headers = {"Host": self._url.host_header, **headers, **call.headers}
        if call.body is not None or call.method in ("POST", "PUT"):
            all_headers["Content-Length"] = str(call.body_bytes)
        head = f"{call.method} {self._url.prefix}{call.target} HTTP/1.1\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in all_headers.items()) + "\r\n"
        try:
            try:
                await asyncio.wait_for(self._write(writer, head.encode("ascii"), call), timeout)
            except (BrokenPipeError, ConnectionResetError):
                # A server that refuses a large body answers before it has read all of it; the answer says why.
                pass
            await response.read_head()
            return response
        except BaseException:
            response.close()
            raise

    async def _write(self, writer: asyncio.StreamWriter, head: bytes, call: Call) -> None:
        if isinstance(call.body, Path):
            writer.write(head)
            with open(call.body, "rb") as file:
                while chunk := file.read(CHUNK):
                    writer.write(chunk)
                    await writer.drain()
        else:
            writer.write(head + (call.body or b""))
        await writer.drain()

    def _give_back(self, connection: Connection, reusable: bool) -> None:
        reader, writer = connection
        if reusable and not self._closed and not reader.at_eof() and len(self._idle) < IDLE_CONNECTIONS:
            self._idle.append(connection)
        else:
            writer.close()

    async def close(self) -> None:
        self._closed = True
        idle, self._idle = self._idle, []
        for _, writer in idle:
            writer.close()
            try:
                await writer.wait_closed()
            except OSError:
                pass
