"""`glovebox serve` for tests: on a port of its own, with a data directory and a configuration that the test chooses."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

from support.glovebox_runner import slowness

START_S = 60


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self) -> str:
        return f"{self.status} {self.headers} {self.body[:2000]!r}"


class Connection:
    """One keep-alive connection; a thread has its own."""

    def __init__(self, service: Service, key: str = "", timeout: float = 60):
        self.service = service
        self.key = key
        self.client = http.client.HTTPConnection(*service.place, timeout=timeout * slowness())

    def __call__(self, method: str, path: str, body=None, headers: dict | None = None) -> Answer:
        sent = dict(headers or {})
        if self.key:
            sent.setdefault("Authorization", f"Bearer {self.key}")
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            sent.setdefault("Content-Type", "application/json")
        self.client.request(method, path, body, sent)
        answer = self.client.getresponse()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())

    def run(self, code: str, headers: dict | None = None, **fields) -> Answer:
        return self("POST", "/v1/runs", {"code": code, **fields}, headers)

    def close(self):
        self.client.close()


class Service:
    def __init__(self, binary: Path, data: Path, *arguments: str, config: str = ""):
        self.binary = binary
        self.data = data
        words = [binary, "serve", "--listen", "127.0.0.1:0", "--data", data, *arguments]
        if config:
            file = data.parent / f"{data.name}.toml"
            file.write_text(config)
            words += ["--config", file]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.lines: list[str] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        deadline = time.monotonic() + START_S * slowness()
        while not (found := re.search(r"^listening on http://(\S+):(\d+)$", "\n".join(self.lines), re.MULTILINE)):
            assert self.process.poll() is None and time.monotonic() < deadline, self.lines
            time.sleep(0.01)
        self.place = found[1], int(found[2])

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.decode(errors="replace").rstrip("\n"))

    def connect(self, key: str = "", timeout: float = 60) -> Connection:
        return Connection(self, key, timeout)

    def command(self, *words: str) -> str:
        return subprocess.run(
            [self.binary, *words, "--data", self.data], check=True, capture_output=True, text=True, timeout=60
        ).stdout

    def make_key(self, tenant: str, *scopes: str) -> str:
        flags = [word for scope in scopes for word in ("--scope", scope)]
        printed = self.command("keys", "create", "--name", f"{tenant} test", "--tenant", tenant, *flags)
        return re.search(r"gbk_\w+", printed)[0]

    def memory_bytes(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+)", status)[1]) * 1024

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30 * slowness())

    def end(self) -> int:
        self.process.terminate()
        try:
            return self.process.wait(60 * slowness())
        finally:
            self.process.kill()
            self.process.wait()
            self.reader.join(5)
