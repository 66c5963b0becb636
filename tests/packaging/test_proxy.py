"""The sample of nginx, in front of a live service: TLS outside, a unix socket inside."""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from support.packaging import REPOSITORY
from support.service import Service

NAME = "glovebox.example.org"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.fixture
def place():
    """A directory that nginx, as another user, can reach."""
    with tempfile.TemporaryDirectory(prefix="glovebox-proxy-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.fixture
def proxied(nginx, glovebox_binary, place):
    """The service, and a function that calls it through nginx."""
    flags = ("--cold", "--listen", f"unix:{place}/api.sock")
    service = Service(glovebox_binary, place / "data", *flags, config='[serve]\nsocket_mode = "0666"\n')
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}",
         "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", place / "key.pem", "-out", place / "cert.pem"],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    port = free_port()
    sample = (REPOSITORY / "packaging/proxy/nginx.conf").read_text()
    for ours, theirs in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/run/glovebox/api.sock", f"{place}/api.sock"),
        (f"/etc/ssl/certs/{NAME}.pem", f"{place}/cert.pem"),
        (f"/etc/ssl/private/{NAME}.key", f"{place}/key.pem"),
    ):
        assert ours in sample
        sample = sample.replace(ours, theirs)
    whole = place / "nginx.conf"
    temporary = "".join(f"  {kind}_temp_path {place}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user nobody nogroup;\n" if os.geteuid() == 0 else ""
    whole.write_text(
        f"{user}daemon off;\npid {place}/nginx.pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\n  access_log off;\n{temporary}{sample}\n}}\n"
    )
    checked = subprocess.run([nginx, "-t", "-c", whole, "-p", place], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen([nginx, "-c", whole, "-p", place], stderr=subprocess.DEVNULL)
    context = ssl.create_default_context(cafile=str(place / "cert.pem"))
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            break
        except OSError:
            time.sleep(0.05)

    def call(method: str, path: str, body=None, headers=None):
        raw = socket.create_connection(("127.0.0.1", port), timeout=30)
        connection = http.client.HTTPConnection(NAME, port)
        connection.sock = context.wrap_socket(raw, server_hostname=NAME)
        connection.request(method, path, json.dumps(body) if body is not None else None, {"Host": NAME, **(headers or {})})
        return connection.getresponse()

    yield service, call
    process.terminate()
    process.wait(30)
    assert service.end() == 0


def test_calls_streams_and_refusals_pass_through_tls(proxied):
    service, call = proxied
    kind = {"Content-Type": "application/json"}
    assert call("POST", "/v1/runs", {"code": "print(1)"}, kind).status == 401, "nginx is another user, and has no key"
    key = {**kind, "Authorization": "Bearer " + service.make_key("web", "run", "read", "admin")}
    answer = call("POST", "/v1/runs", {"code": "print(6 * 7)"}, key)
    assert answer.status == 200 and json.loads(answer.read())["stdout"] == "42\n"
    code = "import time\nprint('first', flush=True)\ntime.sleep(3)\nprint('last')"
    started = time.monotonic()
    stream = call("POST", "/v1/runs", {"code": code, "cache": "off"}, {**key, "Accept": "text/event-stream"})
    while b"first" not in stream.readline():
        assert time.monotonic() - started < 2.5, "events must not be collected on the way"
    assert b"last" in stream.read()
    for inside in ("/v1/admin/state", "/metrics"):
        assert call("GET", inside, headers=key).status == 403, inside
    assert call("GET", "/healthz").status == 200
