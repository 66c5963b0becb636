"""The protocol over pipes: what is said to messages of every kind, and that nothing else is said."""

from __future__ import annotations

import json
import signal
import subprocess
import time

import pytest

from support.glovebox_runner import slowness
from support.mcp_client import MODERN, cell_processes, message, modern_meta


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_handshake_revision_is_spoken(start_pipe, revision):
    client = start_pipe()
    assert client.initialize(revision)["protocolVersion"] == revision
    result = client.call("execute_code_sandbox", code="print(1)")["result"]
    assert ("structuredContent" in result) == (revision >= "2025-06-18")
    assert json.loads(result["content"][0]["text"])["stdout"] == "1\n"


def test_the_stateless_era_needs_no_handshake(start_pipe):
    client = start_pipe()
    found = client.ask("server/discover", {"_meta": modern_meta()})["result"]
    assert MODERN in found["supportedVersions"] and found["resultType"] == "complete"
    answer = client.call("execute_code_sandbox", modern_meta(), code="print(2)")["result"]
    assert answer["resultType"] == "complete" and answer["structuredContent"]["stdout"] == "2\n"


def test_both_eras_share_a_pipe(pipe):
    assert pipe.call("execute_code_sandbox", modern_meta(), code="print(1)")["result"]["resultType"] == "complete"
    assert "resultType" not in pipe.call("execute_code_sandbox", code="print(1)")["result"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"{", -32700),
        (b"not json at all", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}{}', -32700),
        (b"[]", -32600),
        (b'"text"', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}", -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"no/such/method"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such_tool"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}', -32600),
    ],
)
def test_what_is_wrong_gets_its_code_and_the_pipe_goes_on(pipe, text, code):
    pipe.write(text)
    assert pipe.receive()["error"]["code"] == code
    assert pipe.ask("ping")["result"] == {}


def test_an_oversized_message_is_refused_and_skipped(pipe):
    pipe.write(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"x" * (97 << 20) + b'"}}')
    assert pipe.receive()["error"]["code"] == -32600
    assert pipe.ask("ping")["result"] == {}


def test_nothing_comes_before_the_handshake(start_pipe):
    client = start_pipe()
    assert client.ask("tools/list")["error"]["code"] == -32600
    assert client.ask("ping")["result"] == {}
    client.initialize()
    assert client.ask("tools/list")["result"]["tools"]


def test_one_revision_has_batches(start_pipe):
    client = start_pipe("--cold")
    client.initialize("2025-03-26")
    run = {"name": "execute_code_sandbox", "arguments": {"code": "print('in a batch')"}}
    client.process.stdin.write(json.dumps([
        message("a", "tools/call", run), message("b", "ping"), message(None, "notifications/x"), message("c", "no/such"), 7,
    ]).encode() + b"\n")  # fmt: skip
    client.process.stdin.flush()
    answers = {answer["id"]: answer for answer in client.receive_any()}
    assert json.loads(answers["a"]["result"]["content"][0]["text"])["stdout"] == "in a batch\n"
    assert answers["b"]["result"] == {} and answers["c"]["error"]["code"] == -32601
    assert answers[None]["error"]["code"] == -32600 and len(answers) == 4
    client.write(json.dumps([message(None, "notifications/x")]))
    client.write("[]")
    assert client.receive()["error"]["code"] == -32600
    assert client.ask("ping")["result"] == {}


def test_empty_lines_and_unknown_notifications_are_ignored(pipe):
    pipe.write(b"")
    pipe.write(b"   \r")
    pipe.write(message(None, "notifications/no_such_thing", {"a": 1}))
    pipe.write({"jsonrpc": "2.0", "id": "never asked", "result": {}})
    assert pipe.ask("ping")["result"] == {}


def test_the_product_has_its_own_tools_and_no_fixtures(pipe):
    tools = pipe.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == [
        "execute_code_sandbox", "run_shell", "write_file", "read_file", "list_files", "check_policy", "get_run",
        "replay_run",
    ]  # fmt: skip
    for tool in tools:
        assert tool["inputSchema"]["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert tool["outputSchema"]["type"] == "object"
        assert "readOnlyHint" in tool["annotations"] and len(tool["description"]) > 40


def test_a_thousand_interleaved_requests_over_one_pipe(pipe):
    """Programs, files, lists and nonsense, all at once: each gets its own answer."""
    expected = {}
    for number in range(1000):
        kind = number % 10
        if kind == 0:
            expected[pipe.send("tools/call", {"name": "execute_code_sandbox", "arguments": {"code": f"print({number})"}})] = (
                lambda answer, number=number: answer["result"]["structuredContent"]["stdout"] == f"{number}\n"
            )
        elif kind in (1, 2):
            expected[pipe.send("tools/call", {"name": "check_policy", "arguments": {"code": f"x = {number}"}})] = (
                lambda answer: answer["result"]["structuredContent"]["decision"] == "allow"
            )
        elif kind == 3:
            expected[pipe.send("tools/call", {"name": "no_such_tool"})] = lambda answer: answer["error"]["code"] == -32602
        elif kind == 4:
            expected[pipe.send("no/such/method")] = lambda answer: answer["error"]["code"] == -32601
        elif kind == 5:
            expected[pipe.send("tools/list", {"_meta": modern_meta()})] = (
                lambda answer: answer["result"]["resultType"] == "complete"
            )
        else:
            expected[pipe.send("ping")] = lambda answer: answer["result"] == {}
    answers = {}
    while len(answers) < len(expected):
        got = pipe.receive(120)
        assert got is not None and got["id"] not in answers, got
        answers[got["id"]] = got
    wrong = [answers[one] for one, right in expected.items() if not right(answers[one])]
    assert wrong == []
    assert pipe.end() == 0


def test_the_end_of_the_input_kills_what_runs(start_pipe):
    client = start_pipe("--cold")
    client.initialize()
    client.send("tools/call", {"name": "run_shell", "arguments": {"command": "sleep 77.7"}})
    deadline = time.monotonic() + 20 * slowness()
    while not any("77.7" in command for command in cell_processes(client.process.pid)):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    before = time.monotonic()
    assert client.end() == 0
    assert time.monotonic() - before < 10 * slowness()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(start_pipe, number):
    client = start_pipe("--cold")
    client.initialize()
    client.send("tools/call", {"name": "run_shell", "arguments": {"command": "sleep 60"}})
    time.sleep(0.5)
    client.process.send_signal(number)
    assert client.process.wait(timeout=20 * slowness()) == 0
    assert client.strays == []


def test_it_ends_although_much_is_still_to_do(start_pipe):
    client = start_pipe("--cold")
    client.initialize()
    for number in range(300):
        tool = ("check_policy", "execute_code_sandbox")[number % 2]
        client.send("tools/call", {"name": tool, "arguments": {"code": f"print({number})"}})
    assert client.end() == 0


def test_it_ends_although_nobody_reads_it(glovebox_binary):
    process = subprocess.Popen([glovebox_binary, "mcp", "--cold"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    first = {"protocolVersion": "2025-11-25", "capabilities": {}}
    process.stdin.write(json.dumps(message(0, "initialize", first)).encode() + b"\n")
    for number in range(1, 500):
        process.stdin.write(json.dumps(message(number, "tools/list")).encode() + b"\n")
    process.stdin.close()
    assert process.wait(timeout=20 * slowness()) == 0
    process.stdout.close()


def test_a_run_in_a_workspace_can_be_run_again(pipe):
    pipe.tool("write_file", path="data.txt", content="41")
    run = pipe.tool("execute_code_sandbox", code="print(int(open('data.txt').read()) + 1)")
    pipe.tool("write_file", path="data.txt", content="0")
    assert pipe.tool("replay_run", run_id=run["run_id"])["verdict"] == "equal"
