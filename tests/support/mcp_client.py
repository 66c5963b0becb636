"""A small MCP client of our own, over pipes and over HTTP: it sends what a test wants, right or wrong, and keeps all
that comes back."""

from __future__ import annotations

import http.client
import json
import os
import queue
import subprocess
import threading
from pathlib import Path

from support.glovebox_runner import slowness
from support.service import Service

MODERN = "2026-07-28"
HANDSHAKE = "2025-11-25"
PATIENCE_S = 60


def modern_meta(capabilities: dict | None = None, **more) -> dict:
    return {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": capabilities or {},
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        **more,
    }


def message(identifier, method: str, params: dict | None = None) -> dict:
    built = {"jsonrpc": "2.0", "method": method}
    if identifier is not None:
        built["id"] = identifier
    if params is not None:
        built["params"] = params
    return built


class PipeClient:
    """`glovebox mcp` with its pipes."""

    def __init__(self, binary: Path, *arguments: str, cwd: Path | None = None):
        self.process = subprocess.Popen(
            [binary, "mcp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd
        )
        self.incoming: queue.Queue[dict | list | None] = queue.Queue()
        self.notifications: list[dict] = []
        self.strays: list[bytes] = []  # what came on stdout and was no message
        self.early: dict[str, dict] = {}
        self.next_id = 0
        self.asked: list[dict] = []
        self.answer_question = None  # a function of the question
        threading.Thread(target=self._read, daemon=True).start()
        self.errors: list[bytes] = []
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            try:
                got = json.loads(line)
                assert all(one["jsonrpc"] == "2.0" for one in (got if isinstance(got, list) else [got]))
            except (ValueError, AssertionError, KeyError, TypeError):
                self.strays.append(line)
                continue
            self.incoming.put(got)
        self.incoming.put(None)

    def write(self, text: bytes | str | dict):
        if isinstance(text, dict):
            text = json.dumps(text)
        if isinstance(text, str):
            text = text.encode()
        self.process.stdin.write(text + b"\n")
        self.process.stdin.flush()

    def send(self, method: str, params: dict | None = None) -> int:
        self.next_id += 1
        self.write(message(self.next_id, method, params))
        return self.next_id

    def receive(self, timeout: float = PATIENCE_S) -> dict | None:
        """The next message that is neither a notification nor a question."""
        while True:
            got = self.incoming.get(timeout=timeout * slowness())
            if got is None or "method" not in got:
                return got
            if "id" not in got:
                self.notifications.append(got)
                continue
            self.asked.append(got)
            if self.answer_question is not None:
                self.write({"jsonrpc": "2.0", "id": got["id"], **self.answer_question(got)})

    def receive_any(self):
        """The next message of any kind, or batch of them."""
        return self.incoming.get(timeout=PATIENCE_S * slowness())

    def wait(self, identifier) -> dict:
        while identifier not in self.early:
            got = self.receive()
            assert got is not None, (self.process.poll(), self.errors)
            self.early[got.get("id")] = got
        return self.early.pop(identifier)

    def ask(self, method: str, params: dict | None = None) -> dict:
        return self.wait(self.send(method, params))

    def initialize(self, revision: str = HANDSHAKE, capabilities: dict | None = None) -> dict:
        answer = self.ask(
            "initialize",
            {
                "protocolVersion": revision,
                "capabilities": capabilities or {},
                "clientInfo": {"name": "tests", "version": "1"},
            },
        )
        self.write(message(None, "notifications/initialized"))
        return answer["result"]

    def call(self, tool: str, meta: dict | None = None, **arguments) -> dict:
        params = {"name": tool, "arguments": arguments}
        if meta is not None:
            params["_meta"] = meta
        return self.ask("tools/call", params)

    def tool(self, tool: str, **arguments) -> dict:
        """The structured content of a call that went well as far as the protocol is concerned."""
        answer = self.call(tool, **arguments)
        assert "result" in answer, answer
        return structured(answer["result"])

    def end(self) -> int:
        """Closes the input and waits."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        status = self.process.wait(timeout=PATIENCE_S * slowness())
        assert self.strays == []
        return status


def structured(result: dict) -> dict:
    """The content as structure, which is mirrored as text."""
    if "structuredContent" not in result:
        return result
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result["structuredContent"]


class HttpAnswer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def is_stream(self) -> bool:
        return self.headers.get("content-type", "").startswith("text/event-stream")

    @property
    def events(self) -> list[dict]:
        found = []
        for block in self.body.decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
            if "data" in fields or "id" in fields:
                found.append(fields)
        return found

    @property
    def messages(self) -> list[dict]:
        if not self.is_stream:
            return [json.loads(self.body)] if self.body else []
        return [json.loads(event["data"]) for event in self.events if event.get("data", "").strip()]

    @property
    def json(self) -> dict:
        """The answer itself, however it came."""
        answers = [got for got in self.messages if "result" in got or "error" in got]
        assert len(answers) == 1, self
        return answers[0]

    def __repr__(self) -> str:
        return f"{self.status} {self.headers} {self.body[:2000]!r}"


class HttpClient:
    def __init__(self, service: Service, key: str = ""):
        self.service = service
        self.key = key
        self.session = ""
        self.revision = ""
        self.next_id = 0

    def headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.revision:
            headers["MCP-Protocol-Version"] = self.revision
        return headers

    def open(self, method: str, body: dict | bytes | None = None, headers: dict | None = None):
        """The connection and its answer, whose body is not yet read. None as a header's value leaves it out."""
        connection = http.client.HTTPConnection(*self.service.place, timeout=PATIENCE_S * slowness())
        sent = {**self.headers(), **(headers or {})}
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        connection.request(method, "/mcp", data, {name: value for name, value in sent.items() if value is not None})
        return connection, connection.getresponse()

    def __call__(self, method: str, body: dict | bytes | None = None, headers: dict | None = None) -> HttpAnswer:
        connection, answer = self.open(method, body, headers)
        try:
            read = answer.read()
        finally:
            connection.close()
        return HttpAnswer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, read)

    def initialize(self, revision: str = HANDSHAKE, capabilities: dict | None = None) -> dict:
        self.next_id += 1
        answer = self(
            "POST",
            message(
                self.next_id,
                "initialize",
                {
                    "protocolVersion": revision,
                    "capabilities": capabilities or {},
                    "clientInfo": {"name": "tests", "version": "1"},
                },
            ),
        )
        assert answer.status == 200, answer
        self.session = answer.headers["mcp-session-id"]
        self.revision = answer.json["result"]["protocolVersion"]
        assert self("POST", message(None, "notifications/initialized")).status == 202
        return answer.json["result"]

    def ask(self, method: str, params: dict | None = None) -> HttpAnswer:
        self.next_id += 1
        return self("POST", message(self.next_id, method, params))

    def call(self, tool: str, meta: dict | None = None, **arguments) -> HttpAnswer:
        params = {"name": tool, "arguments": arguments}
        if meta is not None:
            params["_meta"] = meta
        return self.ask("tools/call", params)

    def modern(self, method: str, params: dict | None = None, capabilities: dict | None = None, **headers) -> HttpAnswer:
        """A request of the stateless era, with the headers that belong to it."""
        self.next_id += 1
        body, sent = modern_request(self.next_id, method, params, capabilities)
        return self("POST", body, {**sent, **headers})


def modern_request(identifier, method: str, params: dict | None = None, capabilities: dict | None = None, **meta):
    params = dict(params or {})
    params["_meta"] = modern_meta(capabilities, **meta)
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    name = params.get("uri") if method == "resources/read" else params.get("name")
    if name is not None:
        headers["Mcp-Name"] = name
    return message(identifier, method, params), headers


def cell_processes(binary_pid: int) -> list[str]:
    """Command lines of everything that a process has started, at any depth."""
    children: dict[int, list[int]] = {}
    commands: dict[int, str] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path(f"/proc/{entry}/stat").read_text()
            commands[int(entry)] = Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        children.setdefault(int(stat.rsplit(")", 1)[1].split()[1]), []).append(int(entry))
    found, todo = [], [binary_pid]
    while todo:
        for child in children.get(todo.pop(), []):
            found.append(commands.get(child, ""))
            todo.append(child)
    return found
