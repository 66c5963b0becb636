"""Work that takes a while: progress that is real, and cancelling in both eras."""

from __future__ import annotations

import json
import re
import time
from http.client import HTTPConnection

from support.glovebox_runner import slowness
from support.mcp_client import HttpClient, message, modern_meta, modern_request

TALKS = "import time\nfor i in range(5):\n    print('x' * 100, flush=True)\n    time.sleep(0.5)\n"
SLEEPS = {"name": "run_shell", "arguments": {"command": "sleep 60", "timeout_ms": 60000}}


def check_progress(notes: list[dict], token):
    params = [note["params"] for note in notes if note["method"] == "notifications/progress"]
    assert len(params) >= 3 and all(one["progressToken"] == token for one in params)
    values = [one["progress"] for one in params]
    assert values == sorted(set(values)), "always more than before"
    assert values[-1] >= 1000, "milliseconds that passed"
    assert any(re.search(r"running: .*, [1-9]\d\d bytes of output", one["message"]) for one in params), params


def test_progress_over_a_pipe(pipe):
    answer = pipe.call("execute_code_sandbox", {"progressToken": "mine"}, code=TALKS)
    assert answer["result"]["structuredContent"]["success"]
    check_progress(pipe.notifications, "mine")
    seen = len(pipe.notifications)
    pipe.ask("ping")
    time.sleep(1.5)
    pipe.ask("ping")
    assert len(pipe.notifications) == seen, "nothing after the answer"


def test_progress_in_both_eras_over_http(http):
    body, headers = modern_request(
        1, "tools/call", {"name": "execute_code_sandbox", "arguments": {"code": TALKS}}, progressToken=7
    )
    answer = http("POST", body, headers)
    assert answer.is_stream and all("id" not in event for event in answer.events)
    check_progress([got for got in answer.messages if "method" in got], 7)
    assert answer.json["result"]["structuredContent"]["success"]
    http.initialize()
    older = http.call("execute_code_sandbox", {"progressToken": "t"}, code=TALKS + "# not from the cache")
    check_progress([got for got in older.messages if "method" in got], "t")
    assert all("id" in event for event in older.events), "a stream of a session can be taken up again"


def test_without_a_token_the_answer_is_plain_json(session):
    answer = session.call("execute_code_sandbox", code="print(1)")
    assert not answer.is_stream and answer.json["result"]["structuredContent"]["stdout"] == "1\n"


def running(service) -> int:
    connection = service.connect()
    try:
        runs = connection("GET", "/v1/runs?state=running").json["runs"]
        return len(runs)
    finally:
        connection.close()


def wait_for_runs(service, count: int):
    deadline = time.monotonic() + 20 * slowness()
    while running(service) != count:
        assert time.monotonic() < deadline, running(service)
        time.sleep(0.05)


def test_a_message_cancels_a_run_on_a_pipe_in_both_eras(pipe):
    for params in (SLEEPS, {**SLEEPS, "_meta": modern_meta()}):
        started = time.monotonic()
        identifier = pipe.send("tools/call", params)
        time.sleep(0.5)
        pipe.write(message(None, "notifications/cancelled", {"requestId": identifier, "reason": "enough"}))
        # The same workspace, or the same worker, is free again long before the sleep would have ended.
        assert pipe.tool("run_shell", command="echo free")["stdout"] == "free\n"
        assert time.monotonic() - started < 20 * slowness()
        assert identifier not in pipe.early, "a cancelled request is not answered"


def test_a_message_cancels_a_run_of_a_session(service, session):
    connection = _open(service, message(99, "tools/call", SLEEPS), session.headers())
    wait_for_runs(service, 1)
    other = HttpClient(service)
    other.initialize()
    assert other("POST", message(None, "notifications/cancelled", {"requestId": 99})).status == 202
    time.sleep(0.3)
    assert running(service) == 1, "another session's message means nothing"
    assert session("POST", message(None, "notifications/cancelled", {"requestId": 99})).status == 202
    wait_for_runs(service, 0)
    answer = connection.getresponse()
    assert b"result" not in answer.read()


def test_closing_the_stream_cancels_a_stateless_run(service, http):
    body, headers = modern_request(1, "tools/call", SLEEPS)
    connection = _open(service, body, {**http.headers(), **headers})
    wait_for_runs(service, 1)
    connection.close()
    wait_for_runs(service, 0)


def test_losing_the_connection_does_not_cancel_a_run_of_a_session(service, session):
    """The older era: the client comes back for the stream, with the id of the last event that it saw."""
    arguments = {"code": TALKS + "# a run of its own"}
    params = {"name": "execute_code_sandbox", "arguments": arguments, "_meta": {"progressToken": 1}}
    connection, answer = session.open("POST", message(5, "tools/call", params))
    first = b""
    while b"progress" not in first:
        first += answer.read1(4096)
    last = [line for line in first.decode().splitlines() if line.startswith("id: ")][-1][4:]
    connection.close()
    time.sleep(0.5)
    resumed = session("GET", headers={"Last-Event-ID": last, "Content-Type": None})
    assert resumed.status == 200, resumed
    answers = [got for got in resumed.messages if got.get("id") == 5]
    assert answers[0]["result"]["structuredContent"]["success"]
    wait_for_runs(service, 0)


def _open(service, body: dict, headers: dict):
    connection = HTTPConnection(*service.place, timeout=60 * slowness())
    connection.request("POST", "/mcp", json.dumps(body), headers)
    return connection


def test_who_waits_for_a_workspace_keeps_nobody_else_waiting(pipe):
    pipe.tool("write_file", path="a", content="x")
    slow = pipe.send("tools/call", {"name": "run_shell", "arguments": {"command": "sleep 4"}})
    waiting = [
        pipe.send("tools/call", {"name": "write_file", "arguments": {"path": f"f{number}", "content": "x"}})
        for number in range(20)
    ] + [pipe.send("tools/call", {"name": "run_shell", "arguments": {"command": "true"}}) for _ in range(20)]
    started = time.monotonic()
    assert pipe.tool("check_policy", code="1")["decision"] == "allow"
    free = pipe.call("execute_code_sandbox", modern_meta(), code="print('free')")["result"]
    assert free["structuredContent"]["stdout"] == "free\n" and time.monotonic() - started < 3 * slowness()
    assert pipe.wait(slow)["result"]["structuredContent"]["success"]
    assert all(not pipe.wait(one)["result"]["isError"] for one in waiting)


def test_an_answer_that_is_too_large_for_a_stream_is_bounded(session):
    code = "def solve(input):\n    return ['x' * 1000] * 800\n"
    answer = session.call("execute_code_sandbox", {"progressToken": 1}, code=code, input=1)
    result = answer.json["result"]["structuredContent"]
    assert answer.is_stream and result["success"] and result["shortened"] == ["results"]
    uri = f"glovebox://runs/{result['run_id']}/result"
    whole = json.loads(session.ask("resources/read", {"uri": uri}).json["result"]["contents"][0]["text"])
    assert len(whole["results"][0]["value"]) == 800
