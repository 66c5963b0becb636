"""Where the server is: http, https, or a unix socket."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Optional
from urllib.parse import unquote, urlsplit

DEFAULT_URL = "http://127.0.0.1:7070"


@dataclass(frozen=True)
class ServerUrl:
    host: str
    port: int
    tls: bool = False
    prefix: str = ""
    """What stands before /v1, for servers behind a proxy; without a slash at its end."""
    socket_path: Optional[str] = None

    @property
    def host_header(self) -> str:
        if self.socket_path is not None:
            return "localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


def parse_url(text: Optional[str]) -> ServerUrl:
    text = text or os.environ.get("GLOVEBOX_URL") or DEFAULT_URL
    parts = urlsplit(text)
    if parts.scheme == "unix":
        if parts.netloc or not parts.path.startswith("/"):
            raise ValueError(f"{text}: a unix socket is written unix:///path/to/socket")
        return ServerUrl("localhost", 0, socket_path=unquote(parts.path))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{text}: the URL must begin with http://, https:// or unix:///")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("the URL must have no user, query or fragment; a key is given as api_key")
    tls = parts.scheme == "https"
    return ServerUrl(parts.hostname, parts.port or (443 if tls else 80), tls, parts.path.rstrip("/"))
