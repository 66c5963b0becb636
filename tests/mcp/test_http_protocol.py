"""The protocol over HTTP: sessions of the older era, headers of the stateless one, and who may call at all."""

from __future__ import annotations

import json
import threading
import time

import pytest

from support.glovebox_runner import slowness
from support.mcp_client import MODERN, HttpClient, message, modern_request


def test_a_session_begins_with_initialize(http):
    assert http.ask("tools/list").status == 400
    http.initialize()
    assert len(http.session) == 32 and http.ask("tools/list").json["result"]["tools"]
    assert http("DELETE").status == 204
    assert http.ask("tools/list").status == 404
    assert http("DELETE").status == 404


def test_a_session_has_a_workspace_of_its_own(service):
    first, second = HttpClient(service), HttpClient(service)
    first.initialize()
    second.initialize()
    handle = first.call("write_file", path="a", content="x").json["result"]["structuredContent"]["workspace"]
    assert second.call("list_files").json["result"]["isError"]
    assert first.call("list_files").json["result"]["structuredContent"]["workspace"] == handle


def test_a_session_takes_its_workspace_along(service):
    client, other = HttpClient(service), HttpClient(service)
    client.initialize()
    other.initialize()
    handle = client.call("write_file", path="a", content="x").json["result"]["structuredContent"]["workspace"]
    assert not other.call("read_file", path="a", workspace=handle).json["result"]["isError"]
    assert client("DELETE").status == 204
    assert other.call("read_file", path="a", workspace=handle).json["result"]["isError"]


def test_the_stateless_era_names_its_workspace(http):
    call = {"name": "write_file", "arguments": {"path": "a.txt", "content": "hello"}}
    handle = http.modern("tools/call", call).json["result"]["structuredContent"]["workspace"]
    other = http.modern("tools/call", call).json["result"]["structuredContent"]["workspace"]
    assert handle != other
    shell = {"name": "run_shell", "arguments": {"command": "cat a.txt", "workspace": handle}}
    assert http.modern("tools/call", shell).json["result"]["structuredContent"]["stdout"] == "hello"


def test_sessions_and_workspaces_of_another_key_are_not_there(start_service):
    service = start_service()
    mine = HttpClient(service, service.make_key("mine", "run"))
    theirs = HttpClient(service, service.make_key("theirs", "run"))
    colleague = HttpClient(service, service.make_key("mine", "run"))
    mine.initialize()
    made = mine.call("write_file", path="secret", content="x").json["result"]["structuredContent"]["workspace"]
    run = mine.call("execute_code_sandbox", code="print('secret')").json["result"]["structuredContent"]["run_id"]
    for other in (theirs, colleague):
        other.session, other.revision = mine.session, mine.revision
        assert other.ask("ping").status == 404
        assert other("GET", headers={"Content-Type": None}).status == 404
        assert other("DELETE").status == 404
        assert other("POST", message(None, "notifications/cancelled", {"requestId": 1})).status == 404
    theirs.session = ""
    theirs.initialize()
    assert theirs.call("read_file", path="secret", workspace=made).json["result"]["isError"]
    assert theirs.call("get_run", run_id=run).json["result"]["isError"]
    assert theirs.call("replay_run", run_id=run).json["result"]["isError"]
    assert "error" in theirs.ask("resources/read", {"uri": f"glovebox://runs/{run}/stdout"}).json
    assert mine.call("get_run", run_id=run).json["result"]["structuredContent"]["result"]["stdout"] == "secret\n"
    nobody = HttpClient(service)
    assert nobody.ask("ping").status == 401
    reader = HttpClient(service, service.make_key("mine", "read"))
    assert reader.ask("ping").status == 403


def test_a_key_that_may_only_run_sees_its_own_runs(start_service):
    service = start_service()
    first = HttpClient(service, service.make_key("team", "run"))
    second = HttpClient(service, service.make_key("team", "run"))
    reader = HttpClient(service, service.make_key("team", "run", "read"))
    for client in (first, second, reader):
        client.initialize()
    run = first.call("execute_code_sandbox", code="print('mine')").json["result"]["structuredContent"]["run_id"]
    uri = f"glovebox://runs/{run}/stdout"
    for client, sees in ((first, True), (second, False), (reader, True)):
        assert client.call("get_run", run_id=run).json["result"]["isError"] != sees
        assert client.call("replay_run", run_id=run).json["result"]["isError"] != sees
        assert ("result" in client.ask("resources/read", {"uri": uri}).json) == sees


def test_a_run_of_mcp_is_a_run_like_any_other(service, session):
    run = session.call("execute_code_sandbox", code="print('recorded')").json["result"]["structuredContent"]
    connection = service.connect()
    record = connection("GET", f"/v1/runs/{run['run_id']}").json
    assert record["result"]["stdout"] == "recorded\n"
    assert 'route="/mcp"' in connection("GET", "/metrics").body.decode()
    connection.close()


def test_quotas_count_for_mcp_too(start_service):
    service = start_service()
    key = service.make_key("small", "run")
    service.command("tenants", "set", "small", "--runs-per-minute", "1")
    client = HttpClient(service, key)
    client.initialize()
    assert client.call("execute_code_sandbox", code="print(1)").json["result"]["structuredContent"]["success"]
    refused = client.call("execute_code_sandbox", code="print(2)").json["result"]
    assert refused["isError"] and "quota_exceeded" in refused["content"][0]["text"]


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example.com"},
        {"Origin": "null"},
        {"Origin": "https://localhost:1"},
        {"Host": "evil.example.com", "Origin": "http://evil.example.com"},
        {"Host": "evil.example.com"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_page_of_another_site_gets_nothing(session, method, headers):
    body = message(1, "tools/list") if method == "POST" else None
    answer = session(method, body, headers)
    assert answer.status in (401, 403, 421), answer
    assert b"tools" not in answer.body


def test_a_key_does_not_make_another_sites_page_welcome(start_service):
    service = start_service()
    client = HttpClient(service, service.make_key("mine", "run"))
    client.initialize()
    assert client("POST", message(1, "ping"), {"Origin": "http://evil.example.com"}).status == 403


def test_a_page_of_our_own_may_call(http):
    host, port = http.service.place
    body, headers = modern_request(1, "tools/list")
    answer = http("POST", body, {**headers, "Origin": f"http://{host}:{port}"})
    assert answer.status == 200 and answer.json["result"]["tools"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"MCP-Protocol-Version": None}, -32020),
        ({"MCP-Protocol-Version": "v999"}, -32020),
        ({"Mcp-Method": None}, -32020),
        ({"Mcp-Method": "TOOLS/CALL"}, -32020),
        ({"Mcp-Name": None}, -32020),
        ({"Mcp-Name": "run_shell"}, -32020),
        ({"Mcp-Name": "=?base64?Y2hlY2tfcG9saWN5?"}, -32020),
        ({"Mcp-Name": "=?base64?Y2hlY2tfcG9saWN5!?="}, -32020),
    ],
)
def test_headers_repeat_what_the_body_says(http, change, code):
    body, headers = modern_request(11, "tools/call", {"name": "check_policy", "arguments": {"code": "1"}})
    assert http("POST", body, headers).status == 200
    answer = http("POST", body, {**headers, **change})
    assert answer.status == 400 and answer.json["error"]["code"] == code and answer.json["id"] == 11
    assert http("POST", body, {**headers, "Mcp-Name": "=?base64?Y2hlY2tfcG9saWN5?="}).status == 200


def test_a_stateless_request_says_who_asks(http):
    for drop in ("io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"):
        body, headers = modern_request(12, "tools/list")
        del body["params"]["_meta"][drop]
        answer = http("POST", body, headers)
        assert answer.status == 400 and answer.json["error"]["code"] == -32602
    body, headers = modern_request(13, "tools/list")
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01"
    answer = http("POST", body, {**headers, "MCP-Protocol-Version": "2099-01-01"})
    assert answer.status == 400 and answer.json["error"]["code"] == -32022
    assert MODERN in answer.json["error"]["data"]["supported"]


def test_the_stateless_era_has_no_sessions(http):
    assert http.modern("ping").status == 404
    assert http.modern("initialize").json["error"]["code"] == -32601
    assert http("GET", headers={"MCP-Protocol-Version": MODERN}).status == 405
    assert "mcp-session-id" not in http.modern("tools/list").headers


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, -32700),
        (b"[]", 400, -32600),
        (b"", 400, -32700),
        (json.dumps(message({}, "ping")).encode(), 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 3000 + b"]" * 3000 + b"}", 400, -32600),
    ],
)
def test_what_is_no_message_is_refused(session, body, status, code):
    answer = session("POST", body)
    assert answer.status == status and answer.json["error"]["code"] == code


def test_one_revision_has_batches_over_http_too(http):
    http.initialize("2025-03-26")
    batch = json.dumps([message(1, "ping"), message(2, "tools/list")]).encode()
    answer = http("POST", batch)
    assert answer.status == 200 and {one["id"] for one in json.loads(answer.body)} == {1, 2}
    assert http("POST", json.dumps([message(None, "notifications/x")]).encode()).status == 202
    newer = HttpClient(http.service)
    newer.initialize()
    assert newer("POST", batch).status == 400


def test_other_ways_to_ask_are_refused(session):
    assert session("POST", message(1, "ping"), {"Content-Type": "text/plain"}).status == 415
    assert session("POST", message(1, "ping"), {"Accept": "text/html"}).status == 406
    assert session("GET", headers={"Accept": "application/json", "Content-Type": None}).status == 406
    assert session("PUT", message(1, "ping")).status == 405


def test_a_client_that_takes_events_alone_gets_events(session):
    answer = session("POST", message(1, "ping"), {"Accept": "text/event-stream"})
    assert answer.is_stream and answer.json["result"] == {}


def test_a_large_message_is_read_and_a_larger_one_refused(session):
    code = "print(len('''" + "x" * 300_000 + "'''))"
    assert session.call("execute_code_sandbox", code=code).json["result"]["structuredContent"]["stdout"] == "300000\n"
    connection, answer = session.open(
        "POST", b"", {"Content-Length": str(1 << 40), "Connection": "close"}
    )
    assert answer.status == 413
    connection.close()


def test_listening_is_acknowledged_and_ends_with_the_service(start_service):
    service = start_service()
    client = HttpClient(service)
    body, headers = modern_request("sub", "subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    connection, answer = client.open("POST", body, headers)
    text = b""
    while not text.endswith(b"\n\n"):
        text += answer.read1(4096)
    ack = json.loads(text.decode().split("data: ", 1)[1])
    assert ack["method"] == "notifications/subscriptions/acknowledged"
    assert ack["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "sub"
    started = time.monotonic()
    assert service.end() == 0
    assert time.monotonic() - started < 20 * slowness()
    assert b'"resultType":"complete"' in answer.read()
    connection.close()


def test_a_service_that_ends_lets_a_sessions_program_finish(start_service):
    service = start_service()
    client = HttpClient(service)
    client.initialize()
    body = message(1, "tools/call", {"name": "run_shell", "arguments": {"command": "sleep 1.5; echo finished"}})
    answers = []
    caller = threading.Thread(target=lambda: answers.append(client("POST", body)))
    caller.start()
    time.sleep(0.7)
    assert service.end() == 0
    caller.join()
    assert answers[0].json["result"]["structuredContent"]["stdout"] == "finished\n"


def test_a_sessions_own_stream_opens_and_ends_with_the_session(session):
    connection, answer = session.open("GET", headers={"Content-Type": None})
    assert answer.status == 200 and answer.getheader("content-type").startswith("text/event-stream")
    assert session("DELETE").status == 204
    assert answer.read() == b""
    connection.close()


def test_an_unknown_event_cannot_be_taken_up(session):
    for last in ("99-1", "x", "1", "-1-1", ""):
        answer = session("GET", headers={"Last-Event-ID": last, "Content-Type": None})
        assert answer.status == 400, (last, answer)


def test_the_fixtures_of_the_conformance_suite_are_behind_a_flag(service, start_service):
    ours = {tool["name"] for tool in HttpClient(service).modern("tools/list").json["result"]["tools"]}
    assert not any(name.startswith("test_") for name in ours)
    suite = HttpClient(start_service("--mcp-conformance"))
    theirs = {tool["name"] for tool in suite.modern("tools/list").json["result"]["tools"]}
    assert ours < theirs and "test_simple_text" in theirs
